#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/result.hpp"

namespace tactus::experiment {

/// How one run that wrote to a store was started, and how long it took.
struct RunRecord {
  std::string command, started, machine;
  std::int64_t cpus = 1, threads = 1, ranks = 1;
  std::optional<double> seconds;  ///< none when it did not come to its end
};

struct RunHistory {
  std::string version;  ///< of Tactus, that made the store
  std::vector<RunRecord> runs;
};

/// The runs behind a store, which is a file or a folder with a `results.db`.
Result<RunHistory> read_history(const std::string& path);

}  // namespace tactus::experiment
