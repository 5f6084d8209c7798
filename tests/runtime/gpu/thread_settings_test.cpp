#include "tactus/runtime/gpu/thread_settings.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include "tactus/host/threads.hpp"

namespace tactus::runtime::gpu {
namespace {

TEST(ThreadSettings, ArePutBackWhenARunIsOver) {
  const std::vector<int> before = host::usable_cpus();
  const int slack = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
  {
    const ThreadSettings settings;
    host::pin_to(before.back());
    host::sharpen_timers();
    EXPECT_EQ(host::usable_cpus(), std::vector<int>{before.back()});
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), 1);
  }
  EXPECT_EQ(host::usable_cpus(), before);
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), slack);
}

}  // namespace
}  // namespace tactus::runtime::gpu
