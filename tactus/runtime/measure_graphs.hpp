#pragma once

#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "tactus/runtime/api.hpp"
#include "tactus/runtime/device.hpp"
#include "tactus/trace/statistics.hpp"

/// How long the graphs of a user take in partitions, beside what may disturb them there: the `times`
/// of a system file. Measured, not proved: a longer time can always come.
namespace tactus::runtime {

struct MeasureGraphsOptions {
  std::vector<std::int64_t> units = {8, 16, 32, 64};  ///< the widths
  int runs = 200;      ///< of each graph, on each width, beside each neighbour
  int margin = 20;     ///< percent on top of the longest that was seen
  bool pairs = true;   ///< two enemies at a time, too: together they can be worse than each alone
  bool noisy = false;  ///< accept a machine on which even a graph alone takes very different times
  int device = 0;
  std::stop_token stop;
  std::function<void(std::string_view)> progress;
};

/// A graph on one width beside one neighbour, or beside nothing.
struct SeenBeside {
  std::string neighbour;      ///< "nothing", "streaming", "L2 and atomics", "`detect` of `camera`"
  std::vector<Time> samples;  ///< from the submission until its end was noticed, in order
  trace::Statistics statistics;
  double autocorrelation = 0;  ///< of each sample with the next
  bool grew = false;           ///< the longest is in the second half: a longer one may still come
};

struct MeasuredWidth {
  std::int64_t asked = 0, got = 0;  ///< SMs; 0: the whole GPU, where nothing can run beside it
  std::string how;                  ///< it got into the partition
  std::vector<SeenBeside> beside;
  Time wcet;  ///< the longest of all, plus the margin, rounded up to 1 us

  const SeenBeside& worst() const;
};

struct MeasuredGraph {
  TaskIndex task = 0;
  NodeIndex node = 0;
  std::vector<MeasuredWidth> widths;  ///< the whole GPU is the last
};

struct MeasuredGraphs {
  std::vector<MeasuredGraph> graphs;
  std::string machine;
  System system;  ///< as given, with `times`, `wcet` and `measured` of these nodes
};

/// Measures every graph that is bound. The neighbours are the enemies of tactus (arithmetic, many
/// launches, the L2 cache, streaming, atomics, copies), pairs of them, and the other graphs that are
/// bound; each on all SMs that the width leaves. They take turns, so that a drift shows in all of
/// them. Uses the driver library alone.
Result<MeasuredGraphs> measure_graphs(const System& system, const Workload& workload,
                                      const MeasureGraphsOptions& options);

/// Is the time of a graph alone too uncertain to measure anything?
bool is_noisy(const trace::Statistics& alone);

}  // namespace tactus::runtime
