#include "tactus/runtime/gpu/cpu_workers.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "tactus/host/clock.hpp"
#include "tactus/host/threads.hpp"

namespace tactus::runtime::gpu {
namespace {

std::map<OpId, CpuDone> wait_for(CpuWorkers& workers, std::size_t count) {
  std::map<OpId, CpuDone> done;
  const std::int64_t patience = host::now_ns() + 20'000'000'000;
  while (done.size() < count && host::now_ns() < patience) {
    for (const CpuDone& one : workers.take_done()) done[one.op] = one;
  }
  EXPECT_EQ(done.size(), count);
  return done;
}

CpuWork work(std::int64_t us, std::int64_t priority = 0) {
  CpuWork made;
  made.load = Time::from_us(us);
  made.priority = priority;
  return made;
}

TEST(CpuWorkers, DoAsMuchCpuTimeAsAsked) {
  CpuWorkers workers({host::usable_cpus().front()}, false);
  workers.submit(work(2000), 1, nullptr);
  const auto done = wait_for(workers, 1);
  EXPECT_GE(done.at(1).end - done.at(1).start, 2'000'000);
}

TEST(CpuWorkers, LetMoreUrgentWorkGoFirstInTheMiddleOfAnother) {
  CpuWorkers workers({host::usable_cpus().front()}, false);
  bool in_the_middle = false;
  // On a busy machine the first may not have started when the second comes; then once more.
  for (int attempt = 0; attempt < 20 && !in_the_middle; ++attempt) {
    workers.submit(work(30'000, 1), 1, nullptr);
    host::sleep_until_ns(host::now_ns() + 2'000'000);
    workers.submit(work(1000, 2), 2, nullptr);
    workers.submit(work(1000, 0), 3, nullptr);
    const auto done = wait_for(workers, 3);
    EXPECT_LT(done.at(2).end, done.at(1).end);
    EXPECT_GE(done.at(3).start, done.at(1).end);
    in_the_middle = done.at(2).start > done.at(1).start;
  }
  EXPECT_TRUE(in_the_middle);
}

TEST(CpuWorkers, TakeEquallyUrgentWorkInTheOrderOfSubmission) {
  CpuWorkers workers({host::usable_cpus().front()}, false);
  for (OpId op = 0; op < 5; ++op) workers.submit(work(500), op, nullptr);
  const auto done = wait_for(workers, 5);
  for (OpId op = 1; op < 5; ++op) EXPECT_GE(done.at(op).start, done.at(op - 1).end);
}

TEST(CpuWorkers, RunTheUsersFunctionAndTellWhatItThrows) {
  CpuWorkers workers({host::usable_cpus().front()}, false);
  int calls = 0;
  const std::function<void()> fine = [&] { ++calls; };
  const std::function<void()> broken = [] { throw std::runtime_error("no camera"); };
  workers.submit(work(1), 1, &fine);
  workers.submit(work(1), 2, &broken);
  const auto done = wait_for(workers, 2);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(done.at(1).problem, "");
  EXPECT_EQ(done.at(2).problem, "no camera");
}

TEST(CpuWorkers, EndWithWorkInHand) {
  CpuWorkers workers({host::usable_cpus().front()}, false);
  workers.submit(work(200'000), 1, nullptr);
  workers.submit(work(200'000), 2, nullptr);
}

}  // namespace
}  // namespace tactus::runtime::gpu
