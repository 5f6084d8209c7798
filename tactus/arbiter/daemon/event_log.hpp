#pragma once

#include <fmt/core.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tactus/arbiter/daemon/log_allowance.hpp"
#include "tactus/base/result.hpp"

namespace tactus::arbiter::daemon {

class LogWriter;

/// What the arbiter did, one JSON object per line; given to a writer at the end of each round of
/// work.
///
///     log.line("begin", client, R"("priority": {})", 70);
///
/// Nothing here waits for a disk or for the reader of a pipe. Lines that cannot be kept are
/// dropped, and the log says how many ("dropped"). Every line is charged to the user who caused it:
/// nobody can fill the disk or displace the lines of others, with however many connections.
class EventLog {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

  /// @param most_bytes of the file: before it would be larger, it is moved to FILE.1
  static Result<EventLog> open(const std::string& path, std::uint64_t most_bytes = kMostBytes);
  /// A log that keeps nothing.
  EventLog();
  ~EventLog();
  EventLog(EventLog&& other) noexcept;
  EventLog& operator=(EventLog&& other) noexcept;

  bool wanted() const { return writer_ != nullptr; }
  /// A line about a client, charged to its user; the arbiter itself is client 0.
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
  /// A line about a connection that is no client, or not yet.
  template <typename... Arguments>
  void line_of_user(uid_t user, std::string_view event, fmt::format_string<Arguments...> more,
                    Arguments&&... arguments) {
    if (wanted() && allowed_to(user, 0))
      write_line(event, 0, fmt::vformat(more, fmt::make_format_args(arguments...)));
  }
  /// From now on the lines of this client are charged to this user.
  void belongs(std::uint32_t client, uid_t user);
  void flush();
  /// Nothing more will come from this client. Its user's allowance stays used up.
  void forget(std::uint32_t client) { users_.erase(client); }
  /// Now and then: forgets users who have been quiet for long.
  void forget_the_quiet();
  /// Opens the file anew, by its name: what was there may have been moved away. From any thread or
  /// signal handler.
  void reopen();

 private:
  bool allowed(std::uint32_t client);
  bool allowed_to(uid_t user, std::uint32_t client);
  void tell_dropped(std::uint32_t client, std::uint64_t lines);
  void write_line(std::string_view event, std::uint32_t client, std::string_view more);

  std::string waiting_;
  std::uint64_t waiting_lines_ = 0;
  std::map<std::uint32_t, uid_t> users_;  ///< of the clients
  LogAllowances allowances_;
  std::unique_ptr<LogWriter> writer_;
};

}  // namespace tactus::arbiter::daemon
