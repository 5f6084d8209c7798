#include "tactus/runtime/gpu/host_side.hpp"

#include <gtest/gtest.h>

#include "tactus/host/clock.hpp"
#include "tactus/host/threads.hpp"

namespace tactus::runtime::gpu {
namespace {

CpuWork on_core(std::int64_t core) {
  CpuWork work;
  work.core = core;
  work.load = Time::from_us(10);
  return work;
}

/// Four CPUs, on any machine: one for the plan, three for work.
void start(HostSide& host) {
  const int cpu = host::usable_cpus().front();
  host.start(false, {cpu, cpu, cpu, cpu});
}

TEST(HostSide, TakesWorkForEveryCoreAfterTheCallerIsPinned) {
  HostSide host;
  start(host);
  for (std::int64_t core = 0; core < 3; ++core) {
    const auto error = host.submit(on_core(core), core, nullptr);
    EXPECT_FALSE(error) << error->message;
  }
  std::vector<Completion> done;
  const std::int64_t patience = host::now_ns() + 20'000'000'000;
  while (!host.idle() && host::now_ns() < patience) host.collect(0, done);
  EXPECT_EQ(done.size(), 3u);
}

TEST(HostSide, RefusesWorkForACoreThatIsNotThere) {
  HostSide host;
  start(host);
  const auto error = host.submit(on_core(3), 0, nullptr);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "there is no core 4 for CPU work");
}

}  // namespace
}  // namespace tactus::runtime::gpu
