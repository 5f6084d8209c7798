#include "tactus/arbiter/daemon/event_log.hpp"

#include <iterator>
#include <thread>
#include <utility>

#include "tactus/arbiter/daemon/log_writer.hpp"
#include "tactus/arbiter/tier.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::daemon {

EventLog::EventLog() = default;
EventLog::EventLog(EventLog&& other) noexcept = default;
EventLog& EventLog::operator=(EventLog&& other) noexcept = default;

Result<EventLog> EventLog::open(const std::string& path, std::uint64_t most_bytes) {
  auto writer = LogWriter::open(path, most_bytes);
  if (!writer) return writer.error();
  EventLog log;
  log.writer_ = std::move(*writer);
  return log;
}

EventLog::~EventLog() {
  if (const std::uint64_t lines = wanted() ? allowances_.take_dropped() : 0; lines > 0)
    tell_dropped(0, lines);
  // The writer may be about to take the lines; at the end that is worth a short wait.
  for (int i = 0; wanted() && !waiting_.empty() && i < 1000; ++i) {
    flush();
    std::this_thread::yield();
  }
}

void EventLog::belongs(std::uint32_t client, uid_t user) {
  if (wanted()) users_[client] = user;
}

bool EventLog::allowed(std::uint32_t client) {
  if (client == 0) return true;  // the arbiter itself
  const auto user = users_.find(client);
  return allowed_to(user == users_.end() ? LogAllowances::kStrangers : user->second, client);
}

bool EventLog::allowed_to(uid_t user, std::uint32_t client) {
  std::uint64_t missing = 0;
  if (!allowances_.take(user, host::now_ns(), missing)) return false;
  if (missing > 0) tell_dropped(client, missing);
  return true;
}

void EventLog::tell_dropped(std::uint32_t client, std::uint64_t lines) {
  write_line("dropped", client, fmt::format(R"("lines": {})", lines));
}

void EventLog::forget_the_quiet() { allowances_.forget_the_quiet(host::now_ns()); }

void EventLog::write_line(std::string_view event, std::uint32_t client, std::string_view more) {
  ++waiting_lines_;
  fmt::format_to(std::back_inserter(waiting_),
                 R"({{"t": {}, "event": "{}", "client": {}{}{}}})"
                 "\n",
                 host::now_ns(), event, client, more.empty() ? "" : ", ", more);
}

void EventLog::flush() {
  if (waiting_.empty() || !writer_->take(waiting_, waiting_lines_)) return;
  waiting_.clear();
  waiting_lines_ = 0;
}

void EventLog::reopen() {
  if (wanted()) writer_->reopen();
}

}  // namespace tactus::arbiter::daemon
