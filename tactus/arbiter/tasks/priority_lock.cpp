#include "tactus/arbiter/tasks/priority_lock.hpp"

#include "tactus/host/futex.hpp"

namespace tactus::arbiter::tasks {
namespace {

/// Protects the queue for the few instructions that look at it.
class QueueGuard {
 public:
  explicit QueueGuard(std::atomic<std::uint32_t>& word) : word_(word) {
    while (word_.exchange(1) != 0) host::futex_wait(word_, 1);
  }
  ~QueueGuard() {
    word_.store(0);
    host::futex_wake_all(word_);
  }
  QueueGuard(const QueueGuard&) = delete;
  QueueGuard& operator=(const QueueGuard&) = delete;

 private:
  std::atomic<std::uint32_t>& word_;
};

}  // namespace

void PriorityLock::lock() {
  {
    const QueueGuard guard(run_.queue_guard);
    if (run_.lock_held.exchange(1) == 0) return;
    own_.waits_for_lock.store(1);
  }
  while (own_.waits_for_lock.load() != 0) host::futex_wait(own_.waits_for_lock, 1);
}

void PriorityLock::unlock() {
  const QueueGuard guard(run_.queue_guard);
  TaskBlock* next = nullptr;
  for (std::uint32_t i = 0; i < run_.task_count; ++i) {
    TaskBlock& task = run_.tasks[i];
    if (task.waits_for_lock.load() == 0) continue;
    if (next == nullptr || task.lock_priority > next->lock_priority) next = &task;
  }
  if (next == nullptr) {
    run_.lock_held.store(0);
    return;
  }
  next->waits_for_lock.store(0);  // the lock stays held: it is the other's now
  host::futex_wake_all(next->waits_for_lock);
}

}  // namespace tactus::arbiter::tasks
