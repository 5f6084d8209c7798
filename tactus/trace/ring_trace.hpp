#pragma once

#include <deque>
#include <variant>

#include "tactus/trace/trace.hpp"

namespace tactus::trace {

/// Keeps the last events only, so that a run may take days; `write_to` passes them on.
class RingTrace final : public TraceSink {
 public:
  explicit RingTrace(std::size_t most) : most_(most) {}

  void add(const Interval& interval) override { keep(interval); }
  void add(const JobSpan& job) override { keep(job); }
  void add(const Usage& usage) override { keep(usage); }

  void write_to(TraceSink& sink) const {
    for (const Event& event : events_) {
      std::visit([&](const auto& one) { sink.add(one); }, event);
    }
  }

 private:
  using Event = std::variant<Interval, JobSpan, Usage>;
  void keep(Event event) {
    if (events_.size() == most_) events_.pop_front();
    events_.push_back(event);
  }

  std::size_t most_;
  std::deque<Event> events_;
};

}  // namespace tactus::trace
