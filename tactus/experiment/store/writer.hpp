#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tactus/experiment/store/store.hpp"

namespace tactus::experiment {

/// The one thread that writes a store. What workers hand over is collected and committed about
/// twice a second; when the disk is slower than the workers, they wait.
class Writer {
 public:
  /// `failed` is called once, when writing is no longer possible.
  Writer(Store& store, std::function<void()> failed);
  /// Writes what is left.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void take(std::vector<JudgedSet>&& sets);
  /// Writes what is left and ends. Why writing failed; empty when it did not.
  std::string finish();

 private:
  void work();
  bool commit(const std::vector<JudgedSet>& sets);

  Store& store_;
  std::function<void()> failed_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<JudgedSet> waiting_;
  bool ending_ = false;
  std::string error_;
  std::thread thread_;
};

}  // namespace tactus::experiment
