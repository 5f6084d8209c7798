#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "tactus/arbiter/tasks/fifo_lock.hpp"
#include "tactus/arbiter/tasks/pieces.hpp"
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

TEST(BoundsOf, NameTheMethodThatCoversTheMode) {
  const System system = read(R"({"name":"a","period":10,"priority":1,"core":1,"nodes":[
               {"name":"g","on":"gpu","wcet":1,"launch":1}]})");
  EXPECT_EQ(bounds_of(system, Mode::kArbiter, false).method, "gcaps.suspend");
  EXPECT_EQ(bounds_of(system, Mode::kArbiter, false).variant, "safe-arbiter");
  EXPECT_EQ(bounds_of(system, Mode::kOff, true).method, "tsg-rr.busy");
  EXPECT_EQ(bounds_of(system, Mode::kLock, false).method, "fmlp.suspend");
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
