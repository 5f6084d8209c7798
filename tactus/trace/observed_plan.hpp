#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/model/system.hpp"

/// What was seen of the parts of a plan: nodes, shares of an element, batches of a table.
namespace tactus::trace {

/// A kernel, CPU segment or copy of the plan, and what was seen of it over all jobs.
struct ObservedNode {
  TaskIndex task = 0;
  NodeIndex node = 0;
  ElementIndex element = 0;
  std::string label;          ///< "conv", "conv.2" for a segment
  std::optional<Time> bound;  ///< of the time it takes
  bool waits = false;         ///< the bound counts from when it could have started
  std::int64_t asked = 0;     ///< units it is to run on; 0 where the plan does not say
  std::uint32_t unit = 0;  ///< where a trace shows it, unless its blocks have places of their own
  bool blocks_shown = true;

  std::uint64_t runs = 0;
  Time longest, total;
  std::int64_t narrowest = 0, widest = 0;  ///< units it ran on
  std::uint64_t over = 0;                  ///< runs longer than the bound

  void saw(Time took, std::int64_t width);
  Time mean() const;
  bool width_differs() const {
    return asked > 0 && runs > 0 && (narrowest != asked || widest != asked);
  }
};

/// Units of an element that a task has to itself.
struct ObservedShare {
  TaskIndex task = 0;
  ElementIndex element = 0;
  std::int64_t asked = 0, got = 0;
};

/// A batch that took longer than the table says.
struct Overrun {
  std::size_t frame = 0;
  Time at, expected, took;
  Time stalled;  ///< part of it in which the host was delayed while it submitted the batch
};

/// A job of a table that ended later than the table says.
struct LateJob {
  enum class Cause {
    kHost,     ///< with every batch submitted when it was due, it would not have been late
    kBatches,  ///< batches took longer than the table says: it would have been late anyway
  };
  TaskIndex task = 0;
  std::uint32_t job = 0;
  Time release, response;
  Time on_time;         ///< its response, had the host never been late
  bool missed = false;  ///< its deadline; else only the bound of its task was exceeded
  Cause cause = Cause::kHost;
};

/// The batches of a table.
struct ObservedBatches {
  std::uint64_t played = 0;
  /// Lateness: from when each batch could be submitted (its time had come, the batch before had
  /// ended) until it was.
  std::vector<Time> late;
  std::vector<Overrun> overruns;  ///< the first of them
  std::uint64_t overrun = 0;      ///< all of them

  struct Blamed {
    std::uint64_t missed = 0, over_bound = 0;  ///< a deadline; only a bound
  };
  Blamed by_host, by_batches;
  std::vector<LateJob> late_jobs;  ///< the first that missed, and the first of the others

  void add(const LateJob& job);
};

}  // namespace tactus::trace
