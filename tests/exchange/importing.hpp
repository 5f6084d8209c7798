#pragma once

#include <gtest/gtest.h>

#include "tactus/exchange/import.hpp"
#include "tests/support/paths.hpp"

namespace tactus::exchange {

/// What was imported; fails the test if nothing was.
inline Imported good(ImportResult result) {
  if (result) return std::move(*result);
  for (const Error& problem : result.error()) {
    ADD_FAILURE() << to_string(problem, "source");
  }
  return {};
}

/// Why nothing was imported, as one text; fails the test if something was.
inline std::string bad(const ImportResult& result) {
  if (result) {
    ADD_FAILURE() << "it was imported";
    return {};
  }
  std::string lines;
  for (const Error& problem : result.error()) lines += to_string(problem, "source") + "\n";
  return lines;
}

inline Imported sample(const std::string& name, Fold fold, std::int64_t margin = 0) {
  ImportOptions options;
  options.name = name;
  options.fold = fold;
  options.margin = margin;
  return good(
      import_file(support::source_path("tests/data/traces/" + name + ".json.gz"), "", options));
}

/// Sums of the times of a task, and what it launches.
struct Sums {
  std::int64_t cpu = 0, gpu = 0;
};
inline Sums sums_of(const System& system, const Task& task) {
  Sums sums;
  for (const Node& node : task.nodes) {
    const bool cpu = system.platform.elements[node.on].kind == ElementKind::kCpu;
    (cpu ? sums.cpu : sums.gpu) += node.wcet->ns();
    sums.cpu += node.launch.ns();
  }
  return sums;
}

inline bool notes_have(const Imported& imported, const std::string& part) {
  for (const std::string& note : imported.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace tactus::exchange
