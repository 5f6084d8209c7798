#include "tactus/serve/http/pool.hpp"

#include <new>
#include <system_error>
#include <utility>

namespace tactus::serve {
namespace {

thread_local bool refusing_now = false;

}  // namespace

Pool::Pool(std::size_t threads, std::size_t waiting) : most_waiting_(waiting) {
  threads_.reserve(threads);
  try {
    while (threads_.size() < threads) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;
  } catch (const std::bad_alloc&) {
    if (threads_.empty()) throw;
  }
}

bool Pool::refusing() { return refusing_now; }

void Pool::refuse(const std::function<void()>& task) {
  refusing_now = true;
  task();
  refusing_now = false;
}

bool Pool::put_in(std::function<void()>& task) {
  try {
    tasks_.emplace_back();
  } catch (const std::bad_alloc&) {
    return false;
  }
  tasks_.back() = std::move(task);
  return true;
}

void Pool::enqueue(std::function<void()> task) {
  {
    const std::lock_guard guard(mutex_);
    if (!ending_ && tasks_.size() < most_waiting_ && put_in(task)) {
      wake_.notify_one();
      return;
    }
  }
  refuse(task);
}

void Pool::work() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
      if (ending_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

void Pool::shutdown() {
  {
    const std::lock_guard guard(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  for (const auto& task : tasks_) refuse(task);
  tasks_.clear();
}

}  // namespace tactus::serve
