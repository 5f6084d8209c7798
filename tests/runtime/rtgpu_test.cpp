// Chains on SMs of their own: priorities on cores and engines, pinning, and random sets.
#include <gtest/gtest.h>

#include "tests/runtime/support.hpp"
#include "tests/simulate/running.hpp"
#include "tests/simulate/support.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::runtime {
namespace {

/// `hi` is more urgent. Both want the core at 0 and the engine at about the same time.
System chains() {
  return simulate::read(R"({"tactus":1,"name":"c","time_unit":"unit","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1},{"name":"bus","kind":"copy","units":1},{"name":"gpu","kind":"gpu","units":4}]},
    "tasks":[
      {"name":"hi","period":50,"priority":2,"nodes":[
        {"name":"c0","on":"cpu","wcet":2},{"name":"up","on":"bus","wcet":2},
        {"name":"k","on":"gpu","load":8,"interleave":1},{"name":"c1","on":"cpu","wcet":1}]},
      {"name":"lo","period":60,"priority":1,"nodes":[
        {"name":"c0","on":"cpu","wcet":1},{"name":"up","on":"bus","wcet":3},
        {"name":"k","on":"gpu","load":4,"interleave":1},{"name":"c1","on":"cpu","wcet":3}]}]})");
}

TEST(RunRtgpu, FollowsPrioritiesOnTheCoreAndLetsKernelsRunAtOnce) {
  const System system = chains();
  const Ran seen = ran(system, {.method = "rtgpu", .scenario = "sync,worst"});
  ASSERT_TRUE(seen.report) << seen.error;
  // One SM each, two virtual ones: hi.k takes 4, lo.k takes 2.
  EXPECT_EQ(seen.report->nodes[2].asked, 1);
  EXPECT_EQ(seen.report->nodes[2].longest, Time::from_ms(4));
  std::string jobs;
  for (const trace::JobSpan& job : seen.trace.jobs) {
    jobs += system.tasks[job.task].name + " " + format_time(job.end, TimeUnit::kUnit) + " ";
  }
  // lo: core [2,3], bus after hi's copy [4,7], kernel [7,9], core [9,12]. hi comes again at 50.
  EXPECT_EQ(jobs, "hi 9 lo 12 hi 59 ");
  EXPECT_TRUE(seen.report->good());
}

TEST(RunRtgpu, SeatsTwoBlocksOnEachSm) {
  const System system = chains();
  const Ran seen = ran(system, {.method = "rtgpu"});
  std::map<std::pair<TaskIndex, std::uint32_t>, int> seats;
  for (const trace::Interval& interval : seen.trace.intervals) {
    if (interval.job > 0) continue;
    if (system.platform.elements[interval.element].kind == ElementKind::kGpu) {
      ++seats[{interval.task, interval.unit}];
    }
  }
  EXPECT_EQ(seats, (std::map<std::pair<TaskIndex, std::uint32_t>, int>{{{0, 0}, 2}, {{1, 1}, 2}}));
}

/// Three SMs, but the entry of 2 is used: one block on each of 2 SMs, and the third stays idle.
TEST(RunRtgpu, RunsAMeasuredKernelOnTheUnitsOfItsEntry) {
  const System system = simulate::read(
      R"({"tactus":1,"name":"m","time_unit":"unit","platform":{"elements":[
          {"name":"cpu","kind":"cpu","units":1},{"name":"gpu","kind":"gpu","units":4}]},
          "tasks":[{"name":"a","period":50,"nodes":[
            {"name":"k","on":"gpu","times":[{"units":2,"wcet":5,"bcet":4},{"units":4,"wcet":3}]}]}]})");
  Options options;
  options.settings["allocation"] = "a=3";
  const Verdict verdict = analyze(*find_method("rtgpu"), system, options);
  ASSERT_TRUE(verdict.plan);
  const auto device = open_backend("emulator", system, {});
  const auto report = run_plan(system, {"rtgpu", verdict.plan}, **device, {});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->good());
  EXPECT_EQ(report->nodes[0].asked, 2);
  EXPECT_EQ(report->nodes[0].longest, Time::from_ms(5));
}

/// Partitions of 8 do not fit 8 SMs twice; the blocks are pinned all the same.
TEST(RunRtgpu, PinsWithinTheWholeGpuWherePartitionsDoNotFit) {
  const System system = chains();
  const Ran seen = ran(system, {.method = "rtgpu", .sms = 8, .partition_step = 8});
  ASSERT_TRUE(seen.report) << seen.error;
  EXPECT_NE(seen.report->notes.front().find("pinned to SMs of the whole GPU"), std::string::npos);
  expect_sound(system, seen, "pinned");
}

/// Under an allocation that proves nothing of `hi`, the bound of `lo` is worth nothing either.
TEST(RunRtgpu, PromisesNothingBelowATaskThatIsNotProved) {
  System system = chains();
  system.tasks[0].deadline = Time::from_ms(8);
  Options options;
  options.settings["allocation"] = "hi=1,lo=1";
  const Verdict verdict = analyze(*find_method("rtgpu"), system, options);
  ASSERT_TRUE(verdict.plan);
  const auto device = open_backend("emulator", system, {});
  const auto report = run_plan(system, {"rtgpu", verdict.plan}, **device, {});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->tasks[0].bound);
  EXPECT_FALSE(report->tasks[1].bound);
  EXPECT_GT(report->tasks[0].misses, 0u);
}

TEST(RunRtgpu, RefusesAGpuThatIsTooSmall) {
  const Ran seen = ran(chains(), {.method = "rtgpu", .sms = 1});
  EXPECT_EQ(seen.error, "the plan needs 2 SMs; the emulator has 1");
}

TEST(RunRtgpu, LeavesBusyWaitingToTheSimulator) {
  const Ran seen = ran(chains(), {.method = "stgm"});
  EXPECT_EQ(seen.error,
            "plans of stgm are not run here: its jobs spin on the core while the GPU works, which "
            "is only simulated (`tactus simulate`)");
}

/// The copy and the kernel of `hi` are one request, and so are those of `lo`.
TEST(RunSelfSuspension, HoldsTheAcceleratorFromTheFirstCopyToTheLastKernel) {
  const System system = chains();
  const Ran seen = ran(system, {.method = "self-suspension", .scenario = "sync,worst"});
  ASSERT_TRUE(seen.report) << seen.error;
  // One SM each, not interleaved: hi has the accelerator [2,12], lo only then [12,19].
  EXPECT_EQ(simulate::testing::shown(system, seen.trace),
            "hi.c0 [0,2], hi.up [2,4], lo.c0 [2,3], hi.k [4,12], hi.c1 [12,13], lo.up [12,15], "
            "lo.k [15,19], lo.c1 [19,22], hi.c0 [50,52], hi.up [52,54], hi.k [54,62], "
            "hi.c1 [62,63]");
  EXPECT_TRUE(seen.report->good());
}

TEST(RunRtgpu, AgreesWithTheSimulator) {
  for (const char* method : {"rtgpu", "rtgpu.greedy", "self-suspension"}) {
    int runs = 0;
    for (int seed = 0; seed < support::scaled(150); ++seed) {
      System system = drawn(method, static_cast<std::uint64_t>(seed));
      std::erase_if(system.tasks, [](const Task& task) { return task.best_effort; });
      const Ran seen = ran(system, {.method = method, .scenario = "sync,worst", .jobs = 6});
      if (!seen.verdict.plan) continue;
      ASSERT_TRUE(seen.report) << seen.error;
      ++runs;
      const auto simulated = simulate::simulate(system, method, "sync,worst", 6);
      expect_same_responses(*seen.report, simulated.outcome,
                            std::string(method) + " " + std::to_string(seed));
    }
    EXPECT_GT(runs, 20) << method;
  }
}

TEST(RunRtgpu, MissesNothingOnRandomSetsThatAreProved) {
  for (const char* method : {"rtgpu", "rtgpu.greedy", "self-suspension"}) {
    int proved = 0;
    for (int seed = 0; seed < support::scaled(150); ++seed) {
      const System system = drawn(method, static_cast<std::uint64_t>(seed));
      for (const char* scenario : {"sync,worst", "sporadic,early", "burst,uniform"}) {
        const Ran seen = ran(system, {.method = method,
                                      .scenario = scenario,
                                      .jobs = 10,
                                      .seed = static_cast<std::uint64_t>(seed)});
        if (!seen.verdict.plan) continue;
        ++proved;
        expect_sound(system, seen, std::string(method) + " " + std::to_string(seed));
      }
    }
    EXPECT_GT(proved, 50) << method;
  }
}

}  // namespace
}  // namespace tactus::runtime
