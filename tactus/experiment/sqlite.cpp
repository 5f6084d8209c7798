#include "tactus/experiment/sqlite.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "tactus/model/file_place.hpp"

namespace tactus::experiment {

namespace {

constexpr int kLongestValue = 64 << 20;  // bytes; the longest text is the file of an experiment

/// May other users make files in its folder? A group that shares a folder counts as trusted.
bool store_may_be_tampered_with(const FilePlace& place) {
  struct stat folder {};
  if (::fstat(place.folder.get(), &folder) != 0) return true;
  const bool foreign = folder.st_uid != ::geteuid() && folder.st_uid != 0;
  return foreign || (folder.st_mode & S_IWOTH) != 0;
}

/// Tables as tactus makes them: with a view or a trigger the file could execute its own
/// code.
constexpr const char* kForeignParts =
    "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index') "
    "OR sql LIKE 'CREATE VIRTUAL%' OR sql LIKE '%GENERATED%'";

}  // namespace

Database::Database(const std::string& path, Mode mode) {
  const Result<FilePlace> place = find_place(path);
  if (!place) throw SqliteError(place.error().message);
  // A user who can put a journal beside the file can make SQLite change it, and even delete other
  // files: such a store is only read, without recovery.
  const bool strange = store_may_be_tampered_with(*place);
  if (strange && mode == Mode::kWrite) {
    throw SqliteError("its folder belongs to another user, or all users may write to it");
  }
  // Reading, too, may have to undo what a killed run had half written. SQLite opens a file that is
  // write-protected for reading only.
  const int access = strange ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  // One thread at a time uses a connection: it needs no locks of its own.
  const int flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW |
                    (mode == Mode::kWrite ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(place->path.c_str(), &handle_, flags, nullptr);
  try {
    if (code != SQLITE_OK) fail();
    sqlite3_busy_timeout(handle_, 10'000);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kLongestValue);
    if (mode == Mode::kRead) run("PRAGMA query_only = ON");
    Statement foreign(*this, kForeignParts);
    if (foreign.step() && foreign.integer(0) > 0) {
      throw SqliteError("it has parts that no store of tactus has");
    }
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close(handle_); }

void Database::wait_for_others(std::stop_token stop) {
  stop_ = std::move(stop);
  const auto wait = [](void* self, int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return static_cast<Database*>(self)->stop_.stop_requested() ? 0 : 1;
  };
  sqlite3_busy_handler(handle_, wait, this);
}

void Database::run(const std::string& statements) {
  if (sqlite3_exec(handle_, statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void Database::fail() const {
  const int code = sqlite3_errcode(handle_);
  const int cause = sqlite3_system_errno(handle_);
  const bool from_system = code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL;
  throw SqliteError(from_system && cause != 0 ? std::strerror(cause) : sqlite3_errmsg(handle_));
}

Statement::Statement(const Database& database, std::string_view text) : database_(database) {
  check(sqlite3_prepare_v2(database.handle(), text.data(), static_cast<int>(text.size()), &handle_,
                           nullptr));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail();
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

Statement& Statement::bind(std::optional<std::int64_t> value) {
  if (value) return bind(*value);
  check(sqlite3_bind_null(handle_, ++bound_));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail();
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

std::string Statement::text(int column) const {
  const unsigned char* data = sqlite3_column_text(handle_, column);
  if (data == nullptr) return {};
  return {reinterpret_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

Transaction::~Transaction() {
  // Nothing to say if it fails: the error that led here has been thrown already.
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace tactus::experiment
