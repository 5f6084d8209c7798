#pragma once

#include <vector>

#include "tactus/runtime/executors/executor.hpp"

namespace tactus::runtime {

/// The overruns of a run: decides what follows from each, and reports them at its end.
class Overruns {
 public:
  Overruns(const System& system, const RunOptions& options)
      : system_(system), options_(options), skipped_(system.tasks.size()) {}

  /// What to do about it. A request to stop is written into `observed` at once.
  OnOverrun decide(const Overrun& overrun, trace::Observed& observed);
  /// A job was not released, because of the one before.
  void skipped(TaskIndex task) { ++skipped_[task]; }
  /// Lists the first overruns, where the caller asked for a reaction; a skipped job is a failure.
  void report(trace::Observed& observed) const;

 private:
  std::string describe(const Overrun& overrun) const;

  const System& system_;
  const RunOptions& options_;
  std::vector<Overrun> first_;
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> skipped_;  ///< by task
};

}  // namespace tactus::runtime
