#pragma once

#include <sched.h>

namespace tactus::runtime::gpu {

/// Remembers how the calling thread is scheduled, and puts it back: a program that runs a plan goes
/// on as it was. (A thread that stayed pinned would count one CPU for the next plan.) Made and
/// destroyed by the same thread.
class ThreadSettings {
 public:
  ThreadSettings();
  ~ThreadSettings();
  ThreadSettings(const ThreadSettings&) = delete;
  ThreadSettings& operator=(const ThreadSettings&) = delete;

  /// Keeps all memory of the process in place until the end; false where the user may not.
  bool lock_memory();

 private:
  cpu_set_t cpus_;
  bool cpus_known_ = false, locked_ = false;
  int policy_ = SCHED_OTHER;
  sched_param parameters_ = {};
  int timer_slack_ = 0;  ///< ns
};

}  // namespace tactus::runtime::gpu
