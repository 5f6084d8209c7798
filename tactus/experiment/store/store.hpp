#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/experiment/describe/own_sets.hpp"
#include "tactus/experiment/judge/judge.hpp"
#include "tactus/experiment/store/sqlite.hpp"
#include "tactus/experiment/store/stored.hpp"

/// The one SQLite file of a run; docs/use/experiments.md has its tables.
namespace tactus::experiment {

/// An experiment as a store has it.
struct StoredExperiment {
  std::int64_t id = 0;  ///< experiments are numbered from 0
  std::string name, key, file;
  std::int64_t sets = 0;
  std::vector<std::size_t> points;          ///< the ones to run, ascending
  std::shared_ptr<const OwnSets> own = {};  ///< the systems of files, where it has them
};

/// Which sets of a point are there, up to the last one, and which of them need nothing more: those
/// that are not there need nothing here.
struct StoredSets {
  std::vector<bool> there, whole;
};

/// How a run was started; none of it decides a result.
struct RunContext {
  std::string version, command, machine;
  int cpus = 1, threads = 1, ranks = 1;
};

/// A store that is being written. All its members but `open` throw SqliteError.
class Store {
 public:
  /// Makes the store of a folder, or continues one with `resume`. Says in one line why it cannot:
  /// it is there already, another run has it, another version wrote it, it is no store.
  static Result<std::unique_ptr<Store>> open(const std::string& folder, std::string_view version,
                                             bool resume);
  ~Store();

  const std::string& path() const { return path_; }
  /// A program that reads the results for a long time must not end the run that writes them.
  void wait_for_readers(std::stop_token stop) { database_->wait_for_others(std::move(stop)); }
  std::vector<StoredExperiment> experiments();
  /// Adds an experiment, or more sets, points or lines of one that is there. @pre same key, but for
  /// added lines.
  StoredExperiment put(const Experiment& experiment, const std::string& file, std::int64_t sets,
                       const std::vector<std::size_t>& points);
  /// The sets of a point; marks in `added` the curves that some of them lack.
  StoredSets sets_of(const StoredExperiment& experiment, std::size_t point, CurveSet& added);

  void begin_run(const RunContext& context);
  void end_run(double seconds);
  /// All of them, or none when it fails.
  void write(std::span<const JudgedSet> sets);

 private:
  explicit Store(std::string path);
  void connect();
  void create(std::string_view version);
  void merge(const JudgedSet& added);
  std::optional<Error> refuse(std::string_view version);

  struct Inserts;
  std::string path_;
  int lock_ = -1;  ///< of the folder, which no other run may have
  std::optional<Database> database_;
  std::unique_ptr<Inserts> inserts_;
  std::int64_t run_ = 0;
};

}  // namespace tactus::experiment
