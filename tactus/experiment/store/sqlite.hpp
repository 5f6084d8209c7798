#pragma once

#include <stop_token>
#include <string>

#include "tactus/exchange/sqlite.hpp"

namespace tactus {
struct FilePlace;
}

/// The file of a store. Failures are thrown inside this room and become `Result`s at its interface.
namespace tactus::experiment {

using exchange::SqliteError;
using exchange::Statement;

class Database : public exchange::SqliteFile {
 public:
  enum class Mode { kRead, kWrite };
  /// For writing, the file is made if there is none.
  Database(const std::string& path, Mode mode);

  /// From now on waits without limit until others unlock the file, or until `stop` is requested.
  void wait_for_others(std::stop_token stop);

 private:
  Database(const FilePlace& place, Mode mode);

  std::stop_token stop_;
};

/// Rolls back when it is left without `commit`.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {
    database_.run("BEGIN IMMEDIATE");
  }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    database_.run("COMMIT");
    open_ = false;
  }

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace tactus::experiment
