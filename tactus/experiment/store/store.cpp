#include "tactus/experiment/store/store.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <limits>

#include "tactus/base/json_writer.hpp"
#include "tactus/experiment/store/own_store.hpp"
#include "tactus/experiment/store/set_row.hpp"
#include "tactus/experiment/store/widen.hpp"
#include "tactus/host/date.hpp"

namespace tactus::experiment {
namespace {

constexpr const char* kTables = R"(
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE experiments (experiment INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL, file TEXT NOT NULL, sets INTEGER NOT NULL);
  CREATE TABLE points (experiment INTEGER, point INTEGER, case_name TEXT NOT NULL, x TEXT NOT NULL,
    seed INTEGER NOT NULL, settings TEXT NOT NULL, PRIMARY KEY (experiment, point)) WITHOUT ROWID;
  CREATE TABLE curves (experiment INTEGER, curve INTEGER, line TEXT NOT NULL, method TEXT NOT NULL,
    variant TEXT NOT NULL, options TEXT NOT NULL, PRIMARY KEY (experiment, curve)) WITHOUT ROWID;
  CREATE TABLE sets (experiment INTEGER, point INTEGER, set_index INTEGER,
    utilisation INTEGER NOT NULL, statuses TEXT NOT NULL, amounts TEXT NOT NULL,
    times TEXT NOT NULL, PRIMARY KEY (experiment, point, set_index)) WITHOUT ROWID;
  CREATE TABLE runs (run INTEGER PRIMARY KEY, command TEXT NOT NULL, started TEXT NOT NULL,
    machine TEXT NOT NULL, cpus INTEGER NOT NULL, threads INTEGER NOT NULL,
    ranks INTEGER NOT NULL, seconds REAL);
)";

/// What stores of earlier versions lack.
constexpr const char* kLaterTables = R"(
  CREATE TABLE IF NOT EXISTS reasons (experiment INTEGER, curve INTEGER, point INTEGER NOT NULL,
    set_index INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (experiment, curve)) WITHOUT ROWID;
)";

std::string as_json(const Words& words) {
  json::Writer out(json::Layout::kOneLine);
  out.begin_object();
  for (const auto& [name, value] : words) out.key(name).string(value);
  out.end_object();
  std::string text = out.take();
  text.pop_back();  // the newline
  return text;
}

/// Is this what a run has left that found no room for its first experiment?
bool holds_nothing(const std::string& path) {
  if (std::filesystem::file_size(path) == 0) return true;
  try {
    const Database database(path, Database::Mode::kRead);
    Statement tables(database, "SELECT count(*) FROM sqlite_master");
    tables.step();
    if (tables.integer(0) == 0) return true;
    Statement experiments(database, "SELECT count(*) FROM experiments");
    experiments.step();
    return experiments.integer(0) == 0;
  } catch (const SqliteError&) {
    return false;  // no store of ours: it stays
  }
}

/// So many rows go into one statement: beginning and ending one takes as long as a row.
constexpr std::size_t kRows = 32;

std::string insert_of(std::size_t rows) {
  std::string text = "INSERT INTO sets VALUES ";
  for (std::size_t i = 0; i < rows; ++i) text += i == 0 ? "(?,?,?,?,?,?,?)" : ",(?,?,?,?,?,?,?)";
  return text;
}

}  // namespace

struct Store::Inserts {
  explicit Inserts(const Database& database)
      : set(database, insert_of(1)),
        sets(database, insert_of(kRows)),
        // The first in the order of the sets, whichever thread is the first.
        reason(database,
               "INSERT INTO reasons VALUES (?, ?, ?, ?, ?) ON CONFLICT (experiment, curve) DO "
               "UPDATE SET point = excluded.point, set_index = excluded.set_index, "
               "reason = excluded.reason "
               "WHERE (excluded.point, excluded.set_index) < (point, set_index)") {}

  /// Puts the rows that wait into the store.
  void write_waiting() {
    if (waiting.size() == kRows) {
      for (std::size_t i = 0; i < kRows; ++i) bind(sets, i);
      sets.run();
    } else {
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        bind(set, i);
        set.run();
      }
    }
    waiting.clear();
  }

  void bind(Statement& into, std::size_t i) {
    const JudgedSet& one = *waiting[i];
    SetRow& row = rows[i];
    write_row(one, row);
    into.bind(one.experiment).bind(one.point).bind(one.set).bind(one.utilisation);
    into.lend(row.statuses).lend(row.amounts).lend(row.times);
  }

  Statement set, sets, reason;
  std::vector<const JudgedSet*> waiting;
  std::array<SetRow, kRows> rows;  ///< their texts, until they are written
};

Result<std::unique_ptr<Store>> Store::open(const std::string& folder, std::string_view version,
                                           bool resume) {
  std::unique_ptr<Store> store(new Store(folder + "/results.db"));
  // The folder is locked, not the file: SQLite would lose its own locks when ours is closed.
  store->lock_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (store->lock_ >= 0 && ::flock(store->lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Error{fmt::format("another run is writing {}", store->path_)};
  }
  try {
    if (!resume && std::filesystem::exists(store->path_) && !holds_nothing(store->path_)) {
      return Error{fmt::format(
          "{} is there already; --resume continues it, -o names another folder", store->path_)};
    }
    store->connect();
    Statement tables(*store->database_, "SELECT count(*) FROM sqlite_master");
    tables.step();
    // A run that was killed before its first transaction leaves an empty file.
    if (tables.integer(0) == 0) {
      store->create(version);
    } else if (auto refusal = store->refuse(version)) {
      return std::move(*refusal);
    }
    store->database_->run(std::string(kLaterTables) + kOwnTables);
    store->inserts_ = std::make_unique<Inserts>(*store->database_);
    return store;
  } catch (const std::exception& error) {
    return Error{fmt::format("cannot write {}: {}", store->path_, error.what())};
  }
}

Store::Store(std::string path) : path_(std::move(path)) {}

Store::~Store() {
  inserts_.reset();
  database_.reset();
  if (lock_ >= 0) ::close(lock_);
}

void Store::connect() {
  database_.emplace(path_, Database::Mode::kWrite);
  // One commit a second needs no faster journal, and this one leaves a single file behind.
  database_->run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL");
}

void Store::create(std::string_view version) {
  Transaction transaction(*database_);
  database_->run(kTables);
  Statement insert(*database_, "INSERT INTO meta VALUES (?, ?)");
  insert.bind("schema").bind(std::to_string(kStoreSchema)).run();
  insert.bind("tactus").bind(version).run();
  transaction.commit();
}

std::optional<Error> Store::refuse(std::string_view version) {
  std::string schema, writer;
  try {
    Statement meta(*database_, "SELECT key, value FROM meta");
    while (meta.step()) (meta.text(0) == "schema" ? schema : writer) = meta.text(1);
  } catch (const SqliteError&) {
    return Error{fmt::format("{} is not a store of tactus", path_)};
  }
  if (schema != std::to_string(kStoreSchema)) {
    return Error{fmt::format("{} has schema {}; this tactus writes schema {}", path_, quote(schema),
                             kStoreSchema)};
  }
  if (writer != version) {
    return Error{
        fmt::format("{} was written by tactus {}; this is tactus {}, whose results may "
                    "differ: start a new run with -o",
                    path_, writer, version)};
  }
  return std::nullopt;
}

std::vector<StoredExperiment> Store::experiments() {
  std::vector<StoredExperiment> all;
  Statement rows(*database_,
                 "SELECT experiment, name, key, file, sets FROM experiments ORDER BY experiment");
  while (rows.step()) {
    StoredExperiment& one = all.emplace_back();
    one = {rows.integer(0), rows.text(1), rows.text(2), rows.text(3), rows.integer(4), {}, {}};
    one.own = read_own_sets(*database_, one.id);
    if (one.id != static_cast<std::int64_t>(all.size()) - 1) {
      throw SqliteError("its experiments are not numbered from 0");
    }
    if (one.sets < 1 || one.sets > kMostSets) {
      throw SqliteError(fmt::format("experiment {} has {} sets per point; there can be 1 to {}",
                                    quote(one.name), one.sets, kMostSets));
    }
    Statement points(*database_, "SELECT point FROM points WHERE experiment = ? ORDER BY point");
    points.bind(one.id);
    // The experiment's file says which points it has: `prepare` compares.
    while (points.step()) {
      one.points.push_back(
          stored_point(points.integer(0), std::numeric_limits<std::int32_t>::max()));
    }
  }
  return all;
}

StoredExperiment Store::put(const Experiment& experiment, const std::string& file,
                            std::int64_t sets, const std::vector<std::size_t>& points) {
  Transaction transaction(*database_);
  Statement(*database_,
            "INSERT INTO experiments (name, key, file, sets, experiment) VALUES (?, ?, ?, ?, "
            "(SELECT count(*) FROM experiments)) "
            "ON CONFLICT (name) DO UPDATE SET key = excluded.key, file = excluded.file, "
            "sets = max(sets, excluded.sets)")
      .bind(experiment.name)
      .bind(key_of(experiment))
      .bind(file)
      .bind(sets)
      .run();
  Statement find(*database_, "SELECT experiment FROM experiments WHERE name = ?");
  find.bind(experiment.name);
  find.step();
  const std::int64_t id = find.integer(0);
  const std::vector<Point> all = points_of(experiment);
  Statement point_row(*database_, "INSERT OR IGNORE INTO points VALUES (?, ?, ?, ?, ?, ?)");
  for (std::size_t index : points) {
    const Point& point = all[index];
    point_row.bind(id).bind(static_cast<std::int64_t>(index));
    point_row.bind(experiment.cases[point.case_index].name).bind(point.x);
    point_row.bind(static_cast<std::int64_t>(point.seed)).bind(as_json(point.settings)).run();
  }
  if (experiment.own) write_own_sets(*database_, id, *experiment.own);
  widen_sets(*database_, id, experiment);
  Statement curve_row(*database_, "INSERT OR REPLACE INTO curves VALUES (?, ?, ?, ?, ?, ?)");
  for (const Curve& curve : curves_of(experiment)) {
    const Line& line = experiment.lines[curve.line];
    curve_row.bind(id).bind(static_cast<std::int64_t>(curve.index)).bind(line.name);
    curve_row.bind(line.method).bind(curve.variant).bind(as_json(line.options)).run();
  }
  transaction.commit();
  return experiments().at(static_cast<std::size_t>(id));
}

StoredSets Store::sets_of(const StoredExperiment& experiment, std::size_t point, CurveSet& added) {
  StoredSets sets;
  Statement rows(*database_,
                 "SELECT set_index, statuses FROM sets WHERE experiment = ? AND point = ? "
                 "ORDER BY set_index");
  rows.bind(experiment.id).bind(static_cast<std::int64_t>(point));
  while (rows.step()) {
    const auto size = static_cast<std::size_t>(stored_set(rows.integer(0), experiment.sets)) + 1;
    sets.there.resize(size, false);
    sets.whole.resize(size, true);
    sets.there.back() = true;
    const std::string statuses = rows.text(1);
    if (statuses.size() != added.size()) throw SqliteError("verdicts are missing");
    for (std::size_t c = 0; c < added.size(); ++c) {
      if (statuses[c] != kNotJudged) continue;
      added[c] = true;
      sets.whole.back() = false;
    }
  }
  return sets;
}

void Store::merge(const JudgedSet& added) {
  Statement find(*database_,
                 "SELECT statuses, amounts, times FROM sets "
                 "WHERE experiment = ? AND point = ? AND set_index = ?");
  find.bind(added.experiment).bind(added.point).bind(added.set);
  if (!find.step()) throw SqliteError("a set is missing");
  JudgedSet whole = added;
  whole.curves =
      read_row(find.text(0), find.text(1), find.text(2), added.curves.size(), &whole.draw_ns);
  for (std::size_t c = 0; c < added.curves.size(); ++c) {
    if (!whole.curves[c].judged) whole.curves[c] = added.curves[c];
  }
  SetRow row;
  write_row(whole, row);
  Statement(*database_,
            "UPDATE sets SET statuses = ?, amounts = ?, times = ? "
            "WHERE experiment = ? AND point = ? AND set_index = ?")
      .bind(row.statuses)
      .bind(row.amounts)
      .bind(row.times)
      .bind(added.experiment)
      .bind(added.point)
      .bind(added.set)
      .run();
}

void Store::begin_run(const RunContext& context) {
  Transaction transaction(*database_);
  Statement(*database_,
            "INSERT INTO runs (command, started, machine, cpus, threads, ranks) "
            "VALUES (?, ?, ?, ?, ?, ?)")
      .bind(context.command)
      .bind(host::now_utc())
      .bind(context.machine)
      .bind(std::int64_t{context.cpus})
      .bind(std::int64_t{context.threads})
      .bind(std::int64_t{context.ranks})
      .run();
  Statement last(*database_, "SELECT max(run) FROM runs");
  last.step();
  run_ = last.integer(0);
  transaction.commit();
}

void Store::end_run(double seconds) {
  database_->run(fmt::format("UPDATE runs SET seconds = {:.3f} WHERE run = {}", seconds, run_));
}

void Store::write(std::span<const JudgedSet> sets) {
  Transaction transaction(*database_);
  Inserts& inserts = *inserts_;
  inserts.waiting.clear();
  for (const JudgedSet& set : sets) {
    for (const CurveReason& one : set.reasons) {
      inserts.reason.bind(set.experiment).bind(static_cast<std::int64_t>(one.curve));
      inserts.reason.bind(set.point).bind(set.set).bind(one.reason).run();
    }
    if (set.added) {
      merge(set);
      continue;
    }
    inserts.waiting.push_back(&set);
    if (inserts.waiting.size() == kRows) inserts.write_waiting();
  }
  inserts.write_waiting();
  transaction.commit();
}

}  // namespace tactus::experiment
