#include "tactus/arbiter/daemon/event_log.hpp"

#include <algorithm>
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

Result<EventLog> EventLog::open(const std::string& path) {
  auto writer = LogWriter::open(path);
  if (!writer) return writer.error();
  EventLog log;
  log.writer_ = std::move(*writer);
  return log;
}

EventLog::~EventLog() {
  // The writer may be about to take the lines; at the end that is worth a short wait.
  for (int i = 0; wanted() && !waiting_.empty() && i < 1000; ++i) {
    flush();
    std::this_thread::yield();
  }
}

bool LogAllowance::take(std::int64_t now) {
  if (since_ns_ != 0)
    lines_ = std::min(kBurst, lines_ + static_cast<double>(now - since_ns_) * kASecond / 1e9);
  since_ns_ = now;
  if (lines_ < 1) {
    ++dropped;
    return false;
  }
  lines_ -= 1;
  return true;
}

bool EventLog::allowed(std::uint32_t client) {
  if (client == 0) return true;  // the arbiter itself
  LogAllowance& own = allowances_[client];
  if (!own.take(host::now_ns())) return false;
  if (const std::uint64_t dropped = std::exchange(own.dropped, 0); dropped > 0)
    write_line("dropped", client, fmt::format(R"("lines": {})", dropped));
  return true;
}

void EventLog::forget(std::uint32_t client) {
  const auto own = allowances_.find(client);
  if (own == allowances_.end()) return;
  if (own->second.dropped > 0)
    write_line("dropped", client, fmt::format(R"("lines": {})", own->second.dropped));
  allowances_.erase(own);
}

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
