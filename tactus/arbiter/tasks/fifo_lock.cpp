#include "tactus/arbiter/tasks/fifo_lock.hpp"

#include "tactus/host/futex.hpp"

namespace tactus::arbiter::tasks {

void FifoLock::lock() {
  const std::uint32_t mine = next_.fetch_add(1);
  for (;;) {
    const std::uint32_t now = serving_.load();
    if (now == mine) return;
    host::futex_wait(serving_, now);
  }
}

void FifoLock::unlock() {
  serving_.fetch_add(1);
  host::futex_wake_all(serving_);
}

}  // namespace tactus::arbiter::tasks
