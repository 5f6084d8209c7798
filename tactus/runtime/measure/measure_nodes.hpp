#pragma once

#include <array>
#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "tactus/base/statistics.hpp"
#include "tactus/runtime/api.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/gpu/conditions.hpp"
#include "tactus/runtime/measure/tail.hpp"

/// How long the nodes of a file take in partitions, beside what may disturb them there: the `times`
/// of a system file. Measured, not proved: a longer time can always come.
namespace tactus::runtime {

/// Work of tactus that disturbs whatever runs on the other SMs (driver/enemies.hpp).
inline constexpr std::array<std::string_view, 6> kEnemies = {"compute",   "launches", "L2",
                                                             "streaming", "atomics",  "copies"};

struct MeasureOptions {
  std::string backend = "driver";
  BackendOptions machine;  ///< its `workload` is not looked at
  /// The widths. Nothing: one step of the machine's partitions, two, four ... and all of them.
  std::optional<std::vector<std::int64_t>> units;
  int runs = 200;  ///< of each node, on each width, beside each neighbour
  std::vector<std::string> enemies{kEnemies.begin(), kEnemies.end()};
  bool pairs = true;   ///< two enemies at a time, too: together they can be worse than each alone
  int margin = 20;     ///< percent on top of the longest that was seen
  bool bcet = false;   ///< write the least that was seen, too, although it is no lower bound
  bool noisy = false;  ///< accept a machine on which GPU work alone takes very different times
  /// "TASK" or "TASK.NODE". Empty: what is bound; where nothing is bound, every node on a GPU or on a
  /// copy element that is `shared`.
  std::vector<std::string> nodes;
  std::stop_token stop;
  std::function<void(std::string_view)> progress;
};

/// A node on one width beside one neighbour, or beside nothing.
struct SeenBeside {
  std::string neighbour;      ///< "nothing", "streaming", "L2 and atomics", "`detect` of `camera`"
  std::vector<Time> samples;  ///< from the submission until its end was noticed, in order
  Statistics statistics;
  double autocorrelation = 0;  ///< of each sample with the next
  bool grew = false;           ///< the longest is in the second half: a longer one may still come
  Tail tail;                   ///< what they say about longer ones
};

/// How rarely a run may be longer than what is written, where that can be told.
inline constexpr double kExceedance = 1e-6;

struct MeasuredWidth {
  /// SMs; 0: the whole GPU, where nothing can run beside GPU work, or a node that is not on one.
  std::int64_t asked = 0, got = 0;
  std::string how;  ///< it got into the partition
  std::vector<SeenBeside> beside;
  /// The longest of all, plus the margin, or what the fitted tail says where that is more; plus twice
  /// the margin where there is a fit that is not trusted. Rounded up to 1 us.
  Time wcet;
  Time bcet;  ///< the least of all, less the margin, rounded down to 1 us

  const SeenBeside& worst() const;
};

struct MeasuredNode {
  enum class Kind { kGraph, kKernel, kCpu, kCopy };
  Kind kind = Kind::kGraph;
  TaskIndex task = 0;
  NodeIndex node = 0;
  std::vector<MeasuredWidth> widths;  ///< rising; the whole GPU is the last
};

/// What a kind is called: "graph", "kernel", "cpu", "copy".
std::string_view word_of(MeasuredNode::Kind kind);

struct MeasuredNodes {
  std::vector<MeasuredNode> nodes;
  std::string machine;
  std::int64_t divisible = 0;  ///< SMs that partitions for this work can have in all
  std::int64_t step = 1;       ///< their granularity
  gpu::Conditions conditions;
  std::vector<std::string> notes;
  System system;  ///< as given, with `times`, `wcet` and `measured` of these nodes
};

/// The first of `options.nodes` and `options.enemies` that does not exist.
std::optional<Error> unknown_in(const System& system, const MeasureOptions& options);

/// Measures the graphs, kernels, functions and copies of a workload, or the synthetic work of the
/// file. Neighbours are the enemies, pairs of them, and the other GPU nodes of the file, each on all
/// SMs that are left. They take turns, so that a drift shows in all of them. Copies also have copies
/// of other sizes, directions and numbers, and of pageable memory, beside them.
Result<MeasuredNodes> measure_nodes(const System& system, const Workload& workload,
                                    const MeasureOptions& options);

/// Whether a machine's times are too different for a measurement to mean anything: p99 more than
/// 10 % and 20 us above p50.
bool is_noisy(const Statistics& alone);

}  // namespace tactus::runtime
