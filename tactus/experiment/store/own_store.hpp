#pragma once

#include <memory>

#include "tactus/experiment/describe/own_sets.hpp"
#include "tactus/experiment/store/sqlite.hpp"

/// The systems of files, as a store keeps them: so a run can be continued, and its results checked,
/// without the files.
namespace tactus::experiment {

inline constexpr const char* kOwnTables = R"(
  CREATE TABLE IF NOT EXISTS own_sets (experiment INTEGER, group_index INTEGER, set_index INTEGER,
    place TEXT NOT NULL, hash TEXT NOT NULL, system TEXT NOT NULL,
    PRIMARY KEY (experiment, group_index, set_index)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS own_files (experiment INTEGER PRIMARY KEY, folder TEXT NOT NULL,
    cases TEXT NOT NULL, xs TEXT NOT NULL);
)";

/// Enters them, unless the experiment has them already. @throws SqliteError
void write_own_sets(const Database& database, std::int64_t experiment, const OwnSets& sets);

/// Null if the experiment has none. @throws SqliteError, also if what is there makes no sense
std::shared_ptr<const OwnSets> read_own_sets(const Database& database, std::int64_t experiment);

}  // namespace tactus::experiment
