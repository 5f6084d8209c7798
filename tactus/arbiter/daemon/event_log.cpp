#include "tactus/arbiter/daemon/event_log.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "tactus/arbiter/tier.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::daemon {

Result<EventLog> EventLog::open(const std::string& path) {
  EventLog log;
  log.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log.descriptor_ < 0)
    return Error{fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  return log;
}

EventLog::~EventLog() {
  flush();
  if (descriptor_ >= 0) close(descriptor_);
}

EventLog::EventLog(EventLog&& other) noexcept { *this = std::move(other); }

EventLog& EventLog::operator=(EventLog&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(waiting_, other.waiting_);
  return *this;
}

void EventLog::write_line(std::string_view event, std::uint32_t client, std::string_view more) {
  fmt::format_to(std::back_inserter(waiting_),
                 R"({{"t": {}, "event": "{}", "client": {}{}{}}})"
                 "\n",
                 host::now_ns(), event, client, more.empty() ? "" : ", ", more);
}

void EventLog::flush() {
  // A full disk costs log lines, never the arbiter.
  if (waiting_.empty()) return;
  [[maybe_unused]] const ssize_t written = write(descriptor_, waiting_.data(), waiting_.size());
  waiting_.clear();
}

}  // namespace tactus::arbiter::daemon
