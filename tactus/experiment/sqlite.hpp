#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

/// As much of SQLite as a store needs. Failures are thrown inside this room and become `Result`s at
/// its interface.
namespace tactus::experiment {

struct SqliteError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Database {
 public:
  enum class Mode { kRead, kWrite };
  /// For writing, the file is made if there is none.
  Database(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& statements);
  /// From now on waits without limit until others unlock the file, or until `stop` is requested.
  void wait_for_others(std::stop_token stop);
  /// Throws, with the reason of the last failure; with that of the system if there is one, because
  /// "disk I/O error" may be a full disk or a broken one.
  [[noreturn]] void fail() const;
  sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
  std::stop_token stop_;
};

/// A statement, compiled once; parameters are bound in order, columns read in order.
///
///     Statement insert(database, "INSERT INTO sets VALUES (?, ?)");
///     insert.bind(3).bind(name).run();
class Statement {
 public:
  Statement(const Database& database, std::string_view text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::int64_t value);
  Statement& bind(std::string_view value);
  Statement& bind(std::optional<std::int64_t> value);

  /// The next row; false after the last.
  bool step();
  /// Runs it to its end and makes it ready for the next parameters.
  void run();

  std::int64_t integer(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;
  std::string text(int column) const;

 private:
  void check(int code) const;

  const Database& database_;
  sqlite3_stmt* handle_ = nullptr;
  int bound_ = 0;
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
