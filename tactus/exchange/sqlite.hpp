#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

/// As much of SQLite as files of our own and files of others need. What is in a file is not trusted:
/// no code in its schema runs. Failures are thrown, and become `Result`s at the interface of the
/// room that uses this.
namespace tactus::exchange {

struct SqliteError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SqliteFile {
 public:
  struct Opening {
    bool write = false;
    bool create = false;        ///< if there is none
    bool follow_links = false;  ///< may the file be a symbolic link?
    int longest_value = 0;      ///< bytes
  };
  SqliteFile(const std::string& path, const Opening& opening);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  void run(const std::string& statements);
  /// Throws, with the reason of the last failure; with that of the system if there is one, because
  /// "disk I/O error" may be a full disk or a broken one.
  [[noreturn]] void fail() const;
  sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

/// A statement, compiled once; parameters are bound in order, columns read in order.
///
///     Statement insert(file, "INSERT INTO sets VALUES (?, ?)");
///     insert.bind(3).bind(name).run();
class Statement {
 public:
  Statement(const SqliteFile& file, std::string_view text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::int64_t value);
  Statement& bind(std::string_view value);
  /// The same without a copy. @pre the text stays as it is, where it is, until `run` is over
  Statement& lend(std::string_view value);
  Statement& bind(std::optional<std::int64_t> value);

  /// The next row; false after the last.
  bool step();
  /// Runs it to its end and makes it ready for the next parameters.
  void run();

  std::int64_t integer(int column) const;  ///< 0 where there is no value
  std::optional<std::int64_t> optional_integer(int column) const;
  std::string text(int column) const;
  /// The same without a copy; good until the next step.
  std::string_view view(int column) const;

 private:
  void check(int code) const;

  const SqliteFile& file_;
  sqlite3_stmt* handle_ = nullptr;
  int bound_ = 0;
};

}  // namespace tactus::exchange
