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
  /// Fewer threads than asked for where the system has no more; none at all is an exception.
  Pool(std::size_t threads, std::size_t waiting);
  ~Pool() override { shutdown(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void enqueue(std::function<void()> task) override;
  /// Ends the threads; what still waits is refused. A second time there is nothing left to do.
  void shutdown() override;

  static bool refusing();

 private:
  void work();
  /// False: there is no memory for it, and it is still the caller's.
  bool put_in(std::function<void()>& task);
  static void refuse(const std::function<void()>& task);

  std::size_t most_waiting_;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tactus::serve
