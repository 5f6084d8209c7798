#include "tactus/experiment/store/stored.hpp"

#include <fmt/core.h>

#include <filesystem>

#include "tactus/base/diagnostic.hpp"

namespace tactus::experiment {

std::string store_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path + "/results.db" : path;
}

Status stored_status(std::int64_t number) {
  if (number < 0 || number > static_cast<std::int64_t>(Status::kNotApplicable)) {
    throw SqliteError("there is an unknown status");
  }
  return static_cast<Status>(number);
}

std::int64_t stored_set(std::int64_t index, std::int64_t sets) {
  if (index < 0 || index >= sets) throw SqliteError("there is an unknown set");
  return index;
}

std::size_t stored_point(std::int64_t index, std::size_t points) {
  if (index < 0 || static_cast<std::uint64_t>(index) >= points) {
    throw SqliteError("there is an unknown point");
  }
  return static_cast<std::size_t>(index);
}

void check_schema(const Database& database) {
  Statement tables(database, "SELECT count(*) FROM sqlite_master");
  // A run that was killed before its first transaction leaves an empty file.
  if (tables.step() && tables.integer(0) == 0) {
    throw SqliteError("there are no results in it yet");
  }
  std::string schema;
  try {
    Statement meta(database, "SELECT value FROM meta WHERE key = 'schema'");
    if (meta.step()) schema = meta.text(0);
  } catch (const SqliteError&) {
    throw SqliteError("it is not a store of tactus");
  }
  if (schema == std::to_string(kStoreSchema)) return;
  throw SqliteError(
      fmt::format("it has schema {}; this tactus reads schema {}", quote(schema), kStoreSchema));
}

}  // namespace tactus::experiment
