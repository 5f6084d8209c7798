#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/experiment/store/store.hpp"
#include "tactus/experiment/work/ranks.hpp"

/// Runs experiments: sets are drawn and judged by threads (and ranks), one thread writes the store.
namespace tactus::experiment {

struct Wanted {
  Experiment experiment;
  std::string file;  ///< its text
};

struct RunRequest {
  std::string folder;
  bool resume = false;
  std::vector<Wanted> wanted;        ///< none: continue everything in the store
  std::optional<std::int64_t> sets;  ///< a point; else as many as the store or the file says
  /// Values of x, or "all"; else those the store has, or all.
  std::optional<std::vector<std::string>> points;
  RunContext context;
  std::stop_token stop;
  std::function<void(std::string_view)> progress;  ///< may be empty
  Ranks* ranks = nullptr;                          ///< of which we are the first; null when alone
};

struct RunOutcome {
  std::int64_t judged = 0;  ///< sets, by this run
  std::int64_t left = 0;    ///< not reached, because `stop` was requested
  double seconds = 0;
};

/// Does what is not in the store yet. The content of the finished store does not depend on threads,
/// ranks, or how often it was interrupted.
Result<RunOutcome> run(const RunRequest& request);

}  // namespace tactus::experiment
