#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tactus/model/result.hpp"

namespace tactus::arbiter::daemon {

class LogWriter;

/// How many lines of the log a client may still cause.
class LogAllowance {
 public:
  static constexpr double kASecond = 1000;  ///< after the first burst
  static constexpr double kBurst = 10'000;

  /// May there be one more?
  bool take(std::int64_t now_ns);
  std::uint64_t dropped = 0;

 private:
  double lines_ = kBurst;
  std::int64_t since_ns_ = 0;
};

/// What the arbiter did, one JSON object per line; given to a writer at the end of each round of
/// work.
///
///     log.line("begin", client, R"("priority": {})", 70);
///
/// Nothing here waits for a disk or for the reader of a pipe. Lines that cannot be kept are
/// dropped, and the log says how many ("dropped"). The lines per second of a client are limited, so
/// that it cannot fill the disk or displace the lines of others.
class EventLog {
 public:
  static Result<EventLog> open(const std::string& path);
  /// A log that keeps nothing.
  EventLog();
  ~EventLog();
  EventLog(EventLog&& other) noexcept;
  EventLog& operator=(EventLog&& other) noexcept;

  bool wanted() const { return writer_ != nullptr; }
  /// @param more further members, as JSON text; formatted only if there is a log
  template <typename... Arguments>
  void line(std::string_view event, std::uint32_t client, fmt::format_string<Arguments...> more,
            Arguments&&... arguments) {
    if (wanted() && allowed(client))
      write_line(event, client, fmt::vformat(more, fmt::make_format_args(arguments...)));
  }
  void line(std::string_view event, std::uint32_t client) {
    if (wanted() && allowed(client)) write_line(event, client, {});
  }
  void flush();
  /// Nothing more will come from this client.
  void forget(std::uint32_t client);
  /// Opens the file anew, by its name: what was there may have been moved away. From any thread or
  /// signal handler.
  void reopen();

 private:
  bool allowed(std::uint32_t client);
  void write_line(std::string_view event, std::uint32_t client, std::string_view more);

  std::string waiting_;
  std::uint64_t waiting_lines_ = 0;
  std::map<std::uint32_t, LogAllowance> allowances_;
  std::unique_ptr<LogWriter> writer_;
};

}  // namespace tactus::arbiter::daemon
