#include "tactus/runtime/arbiter/tasks/fifo_lock.hpp"

#include "tactus/runtime/arbiter/futex.hpp"

namespace tactus::arbiter {

void FifoLock::lock() {
  const std::uint32_t mine = next_.fetch_add(1);
  for (;;) {
    const std::uint32_t now = serving_.load();
    if (now == mine) return;
    futex_wait(serving_, now);
  }
}

void FifoLock::unlock() {
  serving_.fetch_add(1);
  futex_wake_all(serving_);
}

}  // namespace tactus::arbiter
