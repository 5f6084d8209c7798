#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "tactus/arbiter/tasks/fifo_lock.hpp"
#include "tactus/arbiter/tasks/held.hpp"
#include "tactus/arbiter/tasks/pieces.hpp"
#include "tactus/arbiter/tasks/priority_lock.hpp"
#include "tactus/arbiter/tasks/private_arbiter.hpp"
#include "tactus/arbiter/tasks/sharing.hpp"
#include "tactus/arbiter/tasks/task_process.hpp"
#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/model/reader.hpp"

namespace tactus::arbiter::tasks {
namespace {

System read(const std::string& tasks) {
  const ReadResult result = read_system(
      R"({"tactus":1,"name":"t","time_unit":"ms","platform":{"elements":[
         {"name":"cpu","kind":"cpu","units":2},{"name":"gpu","kind":"gpu","units":1,
          "time_slice":2,"context_switch":0.2,"runlist_update":1}]},"tasks":[)" +
      tasks + "]}");
  EXPECT_TRUE(result.system.has_value());
  return *result.system;
}

TEST(Pieces, ConsecutiveNodesOfOneKindAreOnePiece) {
  const System system = read(
      R"({"name":"a","period":10,"priority":1,"core":1,"nodes":[
          {"name":"c1","on":"cpu","wcet":1},{"name":"c2","on":"cpu","wcet":2},
          {"name":"g1","on":"gpu","wcet":3,"launch":0.5},{"name":"g2","on":"gpu","wcet":1},
          {"name":"c3","on":"cpu","wcet":1}]})");
  const auto pieces = pieces_of(system, system.tasks[0], 100);
  ASSERT_TRUE(pieces);
  ASSERT_EQ(pieces->size(), 3u);
  EXPECT_FALSE((*pieces)[0].on_gpu);
  EXPECT_EQ((*pieces)[0].cpu_ns, 3'000'000);
  EXPECT_TRUE((*pieces)[1].on_gpu);
  EXPECT_EQ((*pieces)[1].cpu_ns, 500'000);
  EXPECT_EQ((*pieces)[1].gpu_ns, 4'000'000);
}

TEST(Pieces, FillOnlyTheirShareOfTheBound) {
  const System system = read(R"({"name":"a","period":10,"priority":1,"core":1,"nodes":[
               {"name":"g","on":"gpu","wcet":3,"launch":1}]})");
  const auto pieces = pieces_of(system, system.tasks[0], 90);
  ASSERT_TRUE(pieces);
  EXPECT_EQ((*pieces)[0].gpu_ns, 2'700'000);
  EXPECT_EQ((*pieces)[0].cpu_ns, 900'000);
}

TEST(FifoLock, LetsOneInAtATimeInTheOrderOfArrival) {
  std::atomic<std::uint32_t> next = 0, serving = 0;
  FifoLock lock(next, serving);
  int inside = 0, worst = 0;
  std::vector<int> order;
  lock.lock();  // all others queue up behind
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      FifoLock mine(next, serving);
      mine.lock();
      worst = std::max(worst, ++inside);
      order.push_back(i);
      --inside;
      mine.unlock();
    });
    while (next.load() != static_cast<std::uint32_t>(i) + 2) std::this_thread::yield();
  }
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(worst, 1);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(PriorityLock, IsHandedToTheMostUrgentOfThoseThatWait) {
  constexpr std::uint32_t kTasks = 6;
  void* const memory = std::calloc(1, run_block_size(kTasks));
  ASSERT_NE(memory, nullptr);
  RunBlock& run = *static_cast<RunBlock*>(memory);  // of a run all words start at 0
  run.task_count = kTasks;
  const std::array<std::int64_t, kTasks> priorities = {0, 3, 5, 1, 4, 2};
  for (std::uint32_t i = 0; i < kTasks; ++i) run.tasks[i].lock_priority = priorities[i];
  PriorityLock first(run, run.tasks[0]);
  first.lock();
  std::vector<std::int64_t> order;  // guarded by the lock
  std::vector<std::thread> threads;
  for (std::uint32_t i = 1; i < kTasks; ++i) {
    threads.emplace_back([&, i] {
      PriorityLock mine(run, run.tasks[i]);
      mine.lock();
      order.push_back(priorities[i]);
      mine.unlock();
    });
    while (run.tasks[i].waits_for_lock.load() == 0) std::this_thread::yield();
  }
  first.unlock();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<std::int64_t>{5, 4, 3, 2, 1}));
  first.lock();  // free again
  first.unlock();
  std::free(memory);
}

TEST(Sharing, IsKnownForEveryMethodThatPlansPrioritiesAndForNoOther) {
  for (const Method* method : registry()) {
    const bool of_family = method->paper.find("GCAPS") != std::string_view::npos ||
                           method->id.starts_with("gcaps.boost");
    EXPECT_EQ(static_cast<bool>(find_sharing(*method)), of_family) << method->id;
  }
  EXPECT_EQ(method_run_by(Mode::kArbiter, true).id, "gcaps.busy");
  EXPECT_EQ(method_run_by(Mode::kBoost, false).id, "gcaps.boost.suspend");
  EXPECT_EQ(method_run_by(Mode::kLock, false).id, "fmlp.suspend");
  EXPECT_EQ(method_run_by(Mode::kPriorityLock, false).id, "mpcp.suspend");
  EXPECT_EQ(method_run_by(Mode::kOff, true).id, "tsg-rr.busy");
}

TEST(UpdateTimeout, IsLongerThanTheFileSaysThatLeavingTakes) {
  System system = read(R"({"name":"a","period":100,"priority":1,"core":1,
      "nodes":[{"name":"g","on":"gpu","wcet":1}]},
    {"name":"b","best_effort":true,"core":1,"nodes":[{"name":"g","on":"gpu","wcet":1}]},
    {"name":"c","best_effort":true,"core":1,"nodes":[{"name":"g","on":"gpu","wcet":1}]})");
  Element& gpu = system.platform.elements.back();
  gpu.runlist_update = Time::from_ms(1);
  gpu.preemption_delay = Time::from_ms(300);
  // Both best-effort launches may be under way.
  EXPECT_GT(least_update_timeout(system), Time::from_ms(1 + 2 * 300));
  system.tasks.pop_back();
  system.tasks.pop_back();
  EXPECT_GT(least_update_timeout(system), Time::from_ms(1 + 300));
  EXPECT_LE(least_update_timeout(system), Time::from_ms(2 * (1 + 300)));
}

constexpr std::string_view kHeldTasks = R"(
    {"name":"a","period":100,"priority":2,"core":1,"nodes":[{"name":"g","on":"gpu","wcet":1}]},
    {"name":"b","period":100,"priority":1,"core":2,"nodes":[{"name":"g","on":"gpu","wcet":1},
     {"name":"c","on":"cpu","wcet":1},{"name":"h","on":"gpu","wcet":1}]},
    {"name":"x","best_effort":true,"core":1,"nodes":[{"name":"g","on":"gpu","wcet":30},
     {"name":"h","on":"gpu","wcet":14}]})";

TEST(WhatIsHeld, CostsAsMuchToTakeOffAsTheLongestBestEffortSegmentLasts) {
  System system = read(std::string(kHeldTasks));
  charge_what_stays(system);
  const Element& gpu = system.platform.elements.back();
  EXPECT_EQ(gpu.preempt_cost, Time::from_ms(44));
  EXPECT_EQ(gpu.resume_cost, Time::from_ms(1)) << "runlist_update, as before";
  EXPECT_EQ(gpu.start_cost, Time::from_us(200)) << "context_switch, as before";
}

TEST(TaskProcess, RefusesMemoryThatIsNotARun) {
  const int file = memfd_create("test", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 16), 0);
  const pid_t pid = fork();  // it asks to die with its parent, which must not concern this process
  if (pid == 0) _exit(run_task_process(file, 0));
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  close(file);
}

}  // namespace
}  // namespace tactus::arbiter::tasks
