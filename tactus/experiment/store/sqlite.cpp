#include "tactus/experiment/store/sqlite.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tactus/base/file_place.hpp"

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

FilePlace place_of(const std::string& path, Database::Mode mode) {
  Result<FilePlace> place = find_place(path);
  if (!place) throw SqliteError(place.error().message);
  if (mode == Database::Mode::kWrite && store_may_be_tampered_with(*place)) {
    throw SqliteError("its folder belongs to another user, or all users may write to it");
  }
  return std::move(*place);
}

exchange::SqliteFile::Opening opening_of(const FilePlace& place, Database::Mode mode) {
  exchange::SqliteFile::Opening opening;
  // A user who can put a journal beside the file can make SQLite change it, and even delete other
  // files: such a store is only read, without recovery. Otherwise reading, too, may have to undo
  // what a killed run had half written. SQLite opens a file that is write-protected for reading
  // only.
  opening.write = !store_may_be_tampered_with(place);
  opening.create = mode == Database::Mode::kWrite;
  opening.longest_value = kLongestValue;
  return opening;
}

}  // namespace

Database::Database(const std::string& path, Mode mode) : Database(place_of(path, mode), mode) {}

Database::Database(const FilePlace& place, Mode mode)
    : SqliteFile(place.path, opening_of(place, mode)) {
  sqlite3_busy_timeout(handle(), 10'000);
  if (mode == Mode::kRead) run("PRAGMA query_only = ON");
  Statement foreign(*this, kForeignParts);
  if (foreign.step() && foreign.integer(0) > 0) {
    throw SqliteError("it has parts that no store of tactus has");
  }
}

void Database::wait_for_others(std::stop_token stop) {
  stop_ = std::move(stop);
  const auto wait = [](void* self, int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return static_cast<Database*>(self)->stop_.stop_requested() ? 0 : 1;
  };
  sqlite3_busy_handler(handle(), wait, this);
}

Transaction::~Transaction() {
  // Nothing to say if it fails: the error that led here has been thrown already.
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace tactus::experiment
