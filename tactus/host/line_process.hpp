#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "tactus/host/child.hpp"

namespace tactus::host {

/// Somebody's program that answers lines with lines, and that is not trusted: it may crash, hang,
/// or write without an end, and still every call returns. What it writes to its standard error is
/// not shown; the last line of it is kept.
///
/// When the object is destroyed, the program is told to end by the end of its input, and a second
/// later it is killed with all that it has started. After a failure it is killed at once.
class LineProcess {
 public:
  /// @param command for /bin/sh
  static Result<LineProcess> start(const std::string& command);
  LineProcess(LineProcess&& other) noexcept;
  LineProcess& operator=(LineProcess&&) = delete;
  ~LineProcess();

  /// It runs, and has written nothing that nobody asked for.
  bool waits_for_a_question();
  bool said_too_much() const { return !heard_.empty(); }
  /// After an `ask` that failed: it had ended by itself, with exit code 0.
  bool ended_well() const { return ended_well_; }

  struct Limits {
    std::int64_t time_ns = 0;
    std::size_t answer_bytes = 0;
  };
  /// Writes a line and returns the line that follows. Or why there is none; the program is then
  /// killed. @param line without a newline
  Result<std::string> ask(std::string_view line, const Limits& limits, const std::stop_token& stop);

 private:
  LineProcess() = default;
  void hear(std::size_t most);
  Error failed(std::string why);
  Error ended();
  void kill_all();

  Child child_;
  int in_ = -1, out_ = -1, err_ = -1;
  bool silent_ = false;  ///< its output has ended
  bool ended_well_ = false;
  std::string heard_, last_words_;
};

}  // namespace tactus::host
