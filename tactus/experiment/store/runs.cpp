#include "tactus/experiment/store/runs.hpp"

#include <fmt/core.h>

#include "tactus/experiment/store/sqlite.hpp"
#include "tactus/experiment/store/stored.hpp"

namespace tactus::experiment {

Result<RunHistory> read_history(const std::string& path) {
  const std::string file = store_file(path);
  try {
    const Database database(file, Database::Mode::kRead);
    RunHistory history;
    Statement version(database, "SELECT value FROM meta WHERE key = 'tactus'");
    if (version.step()) history.version = version.text(0);
    Statement runs(database,
                   "SELECT command, started, machine, cpus, threads, ranks, "
                   "CAST(seconds * 1000 AS INTEGER) FROM runs ORDER BY run");
    while (runs.step()) {
      RunRecord& run = history.runs.emplace_back();
      run.command = runs.text(0);
      run.started = runs.text(1);
      run.machine = runs.text(2);
      run.cpus = runs.integer(3);
      run.threads = runs.integer(4);
      run.ranks = runs.integer(5);
      if (const auto ms = runs.optional_integer(6)) run.seconds = static_cast<double>(*ms) / 1000;
    }
    return history;
  } catch (const SqliteError& error) {
    return Error{fmt::format("{}: {}", file, error.what())};
  }
}

}  // namespace tactus::experiment
