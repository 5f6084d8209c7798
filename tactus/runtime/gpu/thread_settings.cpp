#include "tactus/runtime/gpu/thread_settings.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>

namespace tactus::runtime::gpu {

ThreadSettings::ThreadSettings() {
  CPU_ZERO(&cpus_);
  cpus_known_ = pthread_getaffinity_np(pthread_self(), sizeof cpus_, &cpus_) == 0;
  if (pthread_getschedparam(pthread_self(), &policy_, &parameters_) != 0) policy_ = SCHED_OTHER;
  timer_slack_ = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
}

ThreadSettings::~ThreadSettings() {
  if (cpus_known_) pthread_setaffinity_np(pthread_self(), sizeof cpus_, &cpus_);
  pthread_setschedparam(pthread_self(), policy_, &parameters_);
  if (timer_slack_ > 0) {
    prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(timer_slack_), 0UL, 0UL, 0UL);
  }
  if (locked_) munlockall();
}

bool ThreadSettings::lock_memory() {
  locked_ = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  return locked_;
}

}  // namespace tactus::runtime::gpu
