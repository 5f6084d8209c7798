#include <fmt/core.h>

#include "tests/methods/gcaps/boost/naive.hpp"
#include "tests/methods/gcaps/boost/support.hpp"

/// A core or a GPU that is nearly full takes very many plain steps to a bound. The product leaves most
/// of them out, and finds the same bound to the nanosecond.
namespace tactus::gcaps::boost::tests {
namespace {

/// A task `h` that leaves `gap` ns of each period to others, on the CPU or on the GPU, sometimes one in
/// between, and a task `l` below it. Costs are zero: with any, `h` alone would be too much.
System nearly_full(Random& random, std::int64_t gap) {
  const std::int64_t period = random.integer(200, 2'000);
  const bool on_gpu = random.chance(0.5), two_cores = random.chance(0.5);
  const auto node = [&](bool gpu, std::int64_t ns) {
    return fmt::format(R"({{"name":"{}","on":"{}","wcet":{}}})", gpu ? "g" : "c",
                       gpu ? "gpu" : "cpu", ns);
  };
  const auto task = [&](const char* name, int priority, std::int64_t core, std::int64_t every,
                        const std::string& nodes) {
    return fmt::format(R"({{"name":"{}","period":{},"priority":{},"core":{},"nodes":[{}]}})", name,
                       every, priority, core, nodes);
  };
  std::string tasks;
  if (on_gpu) {
    tasks += task("h", 3, 1, period, node(false, 0) + "," + node(true, period - gap));
  } else {
    tasks += task("h", 3, 1, period, node(false, period - gap));
  }
  if (gap > 1 && random.chance(0.4)) {
    tasks += "," + task("m", 2, 1, 1'000'000'000, node(false, random.integer(1, 2'000)));
  }
  const std::int64_t deadline =
      random.chance(0.5) ? 1'000'000'000 : random.integer(1, 8) * 1'000'000;
  const std::string first =
      node(false, on_gpu ? random.integer(0, 3) : random.integer(1'500, 4'000));
  const std::string second = node(true, on_gpu ? random.integer(1'500, 4'000) : 1);
  tasks += "," + task("l", 1, on_gpu && two_cores ? 2 : 1, deadline, first + "," + second);
  return *read_system(fmt::format(
                          R"({{"tactus":1,"name":"full","time_unit":"ns","platform":{{"elements":[
                 {{"name":"cpu","kind":"cpu","units":3}},
                 {{"name":"gpu","kind":"gpu","units":1,"runlist_update":0,"context_switch":0}}]}},
                 "tasks":[{}]}})",
                          tasks))
              .system;
}

TEST(NearlyFull, BoundsAreThoseOfTheSlowVersion) {
  int schedulable = 0, long_ways = 0;
  const int systems = 300;
  for (int index = 0; index < systems && !testing::Test::HasFailure(); ++index) {
    Random random(77, static_cast<std::uint64_t>(index));
    const System system = nearly_full(random, random.integer(1, 2));
    SCOPED_TRACE(fmt::format("system {}", index));
    for (const bool busy : {false, true}) {
      const Verdict verdict = run(busy ? "gcaps.boost.busy" : "gcaps.boost.suspend", system);
      const naive::Answer answer = naive::analyze(system, busy, false);
      ASSERT_EQ(verdict.status == Status::kSchedulable, answer.schedulable) << verdict.reason;
      schedulable += answer.schedulable ? 1 : 0;
      for (const TaskVerdict& task : verdict.tasks) {
        const Task& source = system.tasks[task.task];
        const auto expected = answer.responses.at(source.name);
        ASSERT_EQ(task.bound.has_value(), expected.has_value()) << source.name;
        if (!task.bound) continue;
        EXPECT_EQ(task.bound->ns(), *expected) << source.name;
        long_ways += task.bound->ns() > 1'000 * system.tasks[0].period->ns() ? 1 : 0;
      }
    }
  }
  EXPECT_GT(schedulable, systems / 4);
  EXPECT_GT(long_ways, systems / 4) << "bounds over more periods than there are plain steps";
}

TEST(NearlyFull, IsDecidedWhereAllStepsTogetherWouldBeTooMany) {
  // One nanosecond of each period is left: 10^9 periods. Ten million steps are the limit.
  for (const std::string_view on : {"cpu", "gpu"}) {
    const std::string node = on == "cpu" ? R"({"name":"n","on":"cpu","wcet":999999})"
                                         : R"({"name":"z","on":"cpu","wcet":0},
                                              {"name":"n","on":"gpu","wcet":999999})";
    const std::string low = on == "cpu" ? R"({"name":"n","on":"cpu","wcet":1000000000})"
                                        : R"({"name":"z","on":"cpu","wcet":0},
                                             {"name":"n","on":"gpu","wcet":1000000000})";
    const System system =
        *read_system(fmt::format(
                         R"({{"tactus":1,"name":"full","time_unit":"ns","platform":{{"elements":[
                 {{"name":"cpu","kind":"cpu","units":3}},
                 {{"name":"gpu","kind":"gpu","units":1,"runlist_update":0,"context_switch":0}}]}},
                 "tasks":[{{"name":"h","period":1000000,"priority":2,"core":1,"nodes":[{}]}},
                 {{"name":"l","period":2000000000000000,"priority":1,"core":2,"nodes":[{}]}}]}})",
                         node, low))
             .system;
    System same_core = system;
    same_core.tasks[1].core = 1;
    const System& used = on == "cpu" ? same_core : system;
    for (const std::string_view method : {"gcaps.boost.suspend", "gcaps.boost.suspend.prio"}) {
      const Verdict verdict = run(method, used);
      EXPECT_EQ(verdict.status, Status::kSchedulable) << method << " " << on << verdict.reason;
      EXPECT_GE(verdict.tasks[1].bound, Time::from_ns(1'000'000'000'000'000)) << method << on;
    }
  }
}

}  // namespace
}  // namespace tactus::gcaps::boost::tests
