#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>

#include "tactus/arbiter/protocol.hpp"

namespace tactus::arbiter::client {

/// How far the batches of a client of boost are: words that count segments, written by who begins
/// them and read by the control thread. One at a time; the numbers go on with the next arbiter.
class BatchWords {
 public:
  /// The words of a new page are all zero. @param gate_limit_ns for how long a gate may stay shut
  /// before its segment is submitted
  void start_anew(std::int64_t gate_limit_ns) {
    gate_limit_ns_ = gate_limit_ns;
    segments_ = 0;
    for (auto* word : {&begun_, &submitted_, &finished_, &marks_, &forced_}) word->store(0);
    begun_ns_.store(0);
    submitted_ns_.store(0);
  }

  /// @return its number
  std::uint32_t begin(std::int64_t now) {
    if (++segments_ == 0) ++segments_;  // 0 means none
    begun_ns_.store(now);
    begun_.store(segments_);
    return segments_;
  }
  void submit(std::uint32_t marks, std::int64_t now) {
    marks_.store(marks);
    submitted_ns_.store(now);
    submitted_.store(begun_.load());
    begun_ns_.store(0);
  }
  /// It will not be submitted.
  void give_up() { begun_ns_.store(0); }
  /// The work of this one is complete, as its caller says.
  void finish(std::uint32_t segment) { finished_.store(segment); }
  /// Its gate is opened without the arbiter.
  void force() {
    forced_.store(begun_.load());
    times_forced_.fetch_add(1);
  }

  std::uint32_t begun() const { return begun_.load(); }
  bool forced() const { return forced_.load() == begun_.load(); }
  std::uint32_t times_forced() const { return times_forced_.load(); }
  std::int64_t submitted_ns() const { return submitted_ns_.load(); }
  std::int64_t gate_limit_ns() const { return gate_limit_ns_; }
  /// Is this segment complete, as its marks or the caller say?
  bool is_over(std::uint32_t segment, const ClientPage& page) const {
    if (segment == 0) return false;
    if (reached(finished_.load(), segment) || segment != submitted_.load()) return true;
    const std::uint32_t count = marks_.load();
    return count > 0 && is_complete(page, segment, count);
  }
  bool waits_at_gate(const ClientPage& page) const {
    const std::uint32_t segment = submitted_.load();
    return segment != 0 && marks_.load() > 0 && !reached(page.gate.load(), segment);
  }
  /// The time of its gate begins now: it is not the client's that it is shut.
  void wait_anew(std::int64_t now) {
    if (begun_ns_.load() != 0) begun_ns_.store(now);
  }
  /// Nobody submits it, and its gate has been shut for too long.
  bool gate_is_overdue(std::int64_t now) const {
    const std::int64_t since = begun_ns_.load();
    return since != 0 && !forced() && now >= since + gate_limit_ns_;
  }

 private:
  std::uint32_t segments_ = 0;  ///< callers only
  std::atomic<std::uint32_t> begun_{0}, submitted_{0}, finished_{0};
  std::atomic<std::uint32_t> marks_{0};  ///< of the segment that was submitted
  std::atomic<std::uint32_t> forced_{0}, times_forced_{0};
  std::atomic<std::int64_t> begun_ns_{0};  ///< while a segment is begun and not submitted
  std::atomic<std::int64_t> submitted_ns_{0};
  std::int64_t gate_limit_ns_ = 0;
};

}  // namespace tactus::arbiter::client
