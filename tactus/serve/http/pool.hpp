#pragma once

#include <httplib.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tactus::serve {

/// A fixed number of threads, and a queue that does not grow without end. What finds the queue full
/// is run at once, with `refusing()` true: it must only say so.
class Pool final : public httplib::TaskQueue {
 public:
  Pool(std::size_t threads, std::size_t waiting);

  void enqueue(std::function<void()> task) override;
  /// Ends the threads; what still waits is refused.
  void shutdown() override;

  static bool refusing();

 private:
  void work();
  static void refuse(const std::function<void()>& task);

  std::size_t most_waiting_;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tactus::serve
