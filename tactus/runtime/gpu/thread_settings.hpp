#pragma once

#include <sched.h>

namespace tactus::runtime::gpu {

/// Remembers how the calling thread is scheduled, and restores it: a program that runs a plan
/// continues as before. (A thread that stayed pinned would see only one CPU for the next plan.)
/// Made and destroyed by the same thread.
class ThreadSettings {
 public:
  ThreadSettings();
  ~ThreadSettings();
  ThreadSettings(const ThreadSettings&) = delete;
  ThreadSettings& operator=(const ThreadSettings&) = delete;

  /// Locks all memory of the process until the end; false if the user may not do that.
  bool lock_memory();

 private:
  cpu_set_t cpus_;
  bool cpus_known_ = false, locked_ = false;
  int policy_ = SCHED_OTHER;
  sched_param parameters_ = {};
  int timer_slack_ = 0;  ///< ns
};

}  // namespace tactus::runtime::gpu
