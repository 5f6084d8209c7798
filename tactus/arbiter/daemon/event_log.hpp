#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tactus/model/result.hpp"

namespace tactus::arbiter::daemon {

/// What the arbiter did, one JSON object a line; written at the end of each round of work.
///
///     log.line("begin", client, R"("priority": {})", 70);
class EventLog {
 public:
  /// No path: a log that keeps nothing.
  static Result<EventLog> open(const std::string& path);
  EventLog() = default;
  ~EventLog();
  EventLog(EventLog&& other) noexcept;
  EventLog& operator=(EventLog&& other) noexcept;

  bool wanted() const { return descriptor_ >= 0; }
  /// @param more further members, as JSON text; formatted only when somebody wants it
  template <typename... Arguments>
  void line(std::string_view event, std::uint32_t client, fmt::format_string<Arguments...> more,
            Arguments&&... arguments) {
    if (wanted())
      write_line(event, client, fmt::vformat(more, fmt::make_format_args(arguments...)));
  }
  void line(std::string_view event, std::uint32_t client) {
    if (wanted()) write_line(event, client, {});
  }
  void flush();

 private:
  void write_line(std::string_view event, std::uint32_t client, std::string_view more);

  int descriptor_ = -1;
  std::string waiting_;
};

}  // namespace tactus::arbiter::daemon
