#pragma once

#include <atomic>
#include <cstdint>

namespace tactus::arbiter::tasks {

/// A lock between processes, first come first served: the baseline that synchronises GPU segments
/// instead of preempting them. Lives in shared memory, as two words that start at 0.
class FifoLock {
 public:
  FifoLock(std::atomic<std::uint32_t>& next, std::atomic<std::uint32_t>& serving)
      : next_(next), serving_(serving) {}
  /// Waiting suspends, in either mode of the tasks (as the analysis assumes).
  void lock();
  void unlock();

 private:
  std::atomic<std::uint32_t>& next_;
  std::atomic<std::uint32_t>& serving_;
};

}  // namespace tactus::arbiter::tasks
