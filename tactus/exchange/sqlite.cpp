#include "tactus/exchange/sqlite.hpp"

#include <sqlite3.h>

#include <cstring>

#include "tactus/base/printable.hpp"

namespace tactus::exchange {

SqliteFile::SqliteFile(const std::string& path, const Opening& opening) {
  // One thread at a time uses a connection: it needs no locks of its own.
  const int flags = (opening.write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
                    (opening.create ? SQLITE_OPEN_CREATE : 0) |
                    (opening.follow_links ? 0 : SQLITE_OPEN_NOFOLLOW) | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    try {
      fail();
    } catch (...) {
      sqlite3_close(handle_);
      throw;
    }
  }
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, opening.longest_value);
}

SqliteFile::~SqliteFile() { sqlite3_close(handle_); }

void SqliteFile::run(const std::string& statements) {
  if (sqlite3_exec(handle_, statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void SqliteFile::fail() const {
  const int code = sqlite3_errcode(handle_);
  const int cause = sqlite3_system_errno(handle_);
  const bool from_system = code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL;
  if (from_system && cause != 0) throw SqliteError(std::strerror(cause));
  throw SqliteError(printable_line(sqlite3_errmsg(handle_)));  // it may quote the file's own text
}

Statement::Statement(const SqliteFile& file, std::string_view text) : file_(file) {
  check(sqlite3_prepare_v2(file.handle(), text.data(), static_cast<int>(text.size()), &handle_,
                           nullptr));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) file_.fail();
}

Statement& Statement::bind(std::int64_t value) {
  check(sqlite3_bind_int64(handle_, ++bound_, value));
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  check(sqlite3_bind_text(handle_, ++bound_, value.data(), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::lend(std::string_view value) {
  check(sqlite3_bind_text(handle_, ++bound_, value.data(), static_cast<int>(value.size()),
                          SQLITE_STATIC));
  return *this;
}

Statement& Statement::bind(std::optional<std::int64_t> value) {
  if (value) return bind(*value);
  check(sqlite3_bind_null(handle_, ++bound_));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) file_.fail();
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
  sqlite3_reset(handle_);
  bound_ = 0;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL) return std::nullopt;
  return integer(column);
}

std::string Statement::text(int column) const { return std::string(view(column)); }

std::string_view Statement::view(int column) const {
  const unsigned char* data = sqlite3_column_text(handle_, column);
  if (data == nullptr) return {};
  return {reinterpret_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

}  // namespace tactus::exchange
