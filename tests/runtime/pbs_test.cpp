// The table player: both strategies, overruns, misses, and random sets.
#include <gtest/gtest.h>

#include "tests/runtime/support.hpp"
#include "tests/simulate/running.hpp"
#include "tests/simulate/support.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::runtime {
namespace {

System figure1() { return simulate::read_file("examples/pbs-figure1.system.json"); }

TEST(PlayTable, StartsEveryBatchAtItsTimeInTheTable) {
  const System system = figure1();
  const Ran seen = ran(system, {.method = "pbs.graph", .jobs = 2});
  ASSERT_TRUE(seen.report) << seen.error;
  EXPECT_EQ(simulate::testing::shown(system, seen.trace),
            "t1.k [0,1], t2.k [1,5], t3.k [1,5], t1.k [5,6], t2.k [6,9], t1.k [9,10], "
            "t2.k [10,14], t3.k [10,14], t1.k [14,15], t2.k [15,18], t1.k [18,19]");
  EXPECT_EQ(seen.report->batches->played, 9u);
  EXPECT_EQ(seen.report->tasks[1].bound, Time::from_ms(5));
}

TEST(PlayTable, RepeatsTheTable) {
  const System system = figure1();
  const Ran seen = ran(system, {.method = "pbs.graph", .jobs = 40});
  EXPECT_EQ(seen.report->tasks[0].responses.size(), 100u);
  EXPECT_EQ(seen.report->tasks[2].responses.size(), 40u);
  EXPECT_TRUE(seen.report->good());
  for (const trace::JobSpan& job : seen.trace.jobs) {
    // One hyperperiod later, the same response.
    const std::size_t round = job.task == 0 ? 5 : job.task == 1 ? 4 : 2;
    const auto& responses = seen.report->tasks[job.task].responses;
    EXPECT_EQ(responses[job.job], responses[job.job % round]);
  }
}

/// Batches that end early let the next one start early, but never before a member is released.
TEST(PlayTable, ReclaimsTimeWithoutChangingTheOrder) {
  const System system = figure1();
  const auto ordered = [](const trace::Trace& trace) {
    std::vector<std::pair<TaskIndex, std::uint32_t>> order;
    for (const trace::JobSpan& job : trace.jobs) order.emplace_back(job.task, job.job);
    return order;
  };
  const RunSetup early{.method = "pbs.graph", .scenario = "uniform", .jobs = 20};
  RunSetup reclaim = early;
  reclaim.strategy = Strategy::kReclaim;
  const Ran timed = ran(system, early), reclaimed = ran(system, reclaim);
  const auto total = [](const Ran& seen) {
    Time sum;
    for (const trace::ObservedTask& task : seen.report->tasks) {
      for (const Time response : task.responses) sum += response;
    }
    return sum;
  };
  EXPECT_LT(total(reclaimed), total(timed));
  EXPECT_EQ(ordered(reclaimed.trace), ordered(timed.trace));
  for (const trace::JobSpan& job : reclaimed.trace.jobs) {
    for (const trace::Interval& interval : reclaimed.trace.intervals) {
      if (interval.task == job.task && interval.job == job.job) {
        EXPECT_GE(interval.start, job.release);
      }
    }
  }
  expect_sound(system, reclaimed, "reclaim");
}

/// Lengths are drawn below the plan's completions; a machine that takes longer overruns.
class SlowDevice final : public WrappedDevice {
 public:
  SlowDevice(std::unique_ptr<Device> device, Time extra)
      : WrappedDevice(std::move(device)), extra_(extra) {}
  using WrappedDevice::launch;
  std::optional<Error> launch(const Kernel& kernel, OpId op) override {
    Kernel slower = kernel;
    slower.longest += extra_;
    return WrappedDevice::launch(slower, op);
  }

 private:
  Time extra_;
};

TEST(PlayTable, ReportsOverrunsAndMissesAndPlaysOnInOrder) {
  const System system = figure1();
  const Verdict verdict = analyze(*find_method("pbs.graph"), system);
  auto device = open_backend("emulator", system, {});
  SlowDevice slow(std::move(*device), Time::from_ms(1));
  RunOptions options;
  options.jobs = 20;
  options.scenario.releases = trace::Releases::kOffsets;
  const auto report = run_plan(system, {"pbs.graph", verdict.plan}, slow, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->batches->overrun, report->batches->played);
  EXPECT_EQ(report->batches->overruns.size(), 20u);  // the first of them
  EXPECT_EQ(report->batches->overruns[0].took, Time::from_ms(2));
  EXPECT_EQ(report->batches->overruns[0].expected, Time::from_ms(1));
  EXPECT_GT(report->tasks[0].misses, 0u);
  EXPECT_EQ(report->tasks[0].responses.size(), 50u);
  EXPECT_EQ(report->tasks[2].responses.size(), 20u);
  EXPECT_FALSE(report->good());
}

TEST(PlayTable, RefusesAGpuThatIsTooSmall) {
  EXPECT_EQ(ran(figure1(), {.method = "pbs.graph", .sms = 7}).error,
            "the plan needs 8 SMs; the emulator has 7");
}

/// The host stands still for a while in the middle of a call.
class StallingDevice final : public WrappedDevice {
 public:
  StallingDevice(std::unique_ptr<Device> device, int call, Time stall)
      : WrappedDevice(std::move(device)), call_(call), stall_(stall) {}
  Time now() const override { return WrappedDevice::now() + behind_; }
  using WrappedDevice::launch;
  std::optional<Error> launch(const Kernel& kernel, OpId op) override {
    if (call_-- == 0) behind_ += stall_;
    return WrappedDevice::launch(kernel, op);
  }
  Result<std::vector<Completion>> wait(std::optional<Time> until) override {
    auto done = WrappedDevice::wait(until ? std::optional(clamp_at_zero(*until - behind_)) : until);
    if (!done) return done;
    for (Completion& each : *done) {
      each.start += behind_;
      each.end += behind_;
    }
    return done;
  }

 private:
  int call_;
  Time stall_, behind_;
};

trace::Observed played(const System& system, Device& device,
                       Strategy strategy = Strategy::kPlanned) {
  const Verdict verdict = analyze(*find_method("pbs.graph"), system);
  RunOptions options;
  options.jobs = 20;
  options.scenario.releases = trace::Releases::kOffsets;
  options.strategy = strategy;
  auto report = run_plan(system, {"pbs.graph", verdict.plan}, device, options);
  EXPECT_TRUE(report);
  return std::move(*report);
}

std::uint64_t misses_of(const trace::Observed& report) {
  std::uint64_t misses = 0;
  for (const trace::ObservedTask& task : report.tasks) misses += task.misses;
  return misses;
}
std::uint64_t all_of(const trace::ObservedBatches::Blamed& jobs) {
  return jobs.missed + jobs.over_bound;
}

TEST(LateJobs, OfAMachineThatIsSlowerThanTheTableAreNotTheHostsFault) {
  const System system = figure1();
  SlowDevice slow(std::move(*open_backend("emulator", system, {})), Time::from_ms(1));
  const trace::Observed report = played(system, slow);
  EXPECT_EQ(all_of(report.batches->by_host), 0U);
  EXPECT_EQ(report.batches->by_batches.missed, misses_of(report));
  for (const trace::LateJob& job : report.batches->late_jobs) {
    EXPECT_EQ(job.cause, trace::LateJob::Cause::kBatches);
    EXPECT_EQ(job.on_time, job.response);
  }
}

TEST(LateJobs, OfAHostThatIsLateAreItsOwnFault) {
  const System system = simulate::read_file("examples/pbs-drone.system.json");
  BackendOptions late;
  late.jitter = Time::from_ms(4);
  const auto device = open_backend("emulator", system, late);
  const trace::Observed report = played(system, **device);
  EXPECT_EQ(report.batches->overrun, 0U);
  EXPECT_EQ(all_of(report.batches->by_batches), 0U);
  EXPECT_GT(misses_of(report), 0U);
  EXPECT_EQ(report.batches->by_host.missed, misses_of(report));
  for (const trace::LateJob& job : report.batches->late_jobs) {
    EXPECT_LE(job.on_time, *report.tasks[job.task].bound);
    EXPECT_LT(job.on_time, job.response);
  }
  EXPECT_FALSE(report.good());
}

TEST(LateJobs, OfAStallInTheMiddleOfACallAreTheHostsFaultThoughTheBatchOverran) {
  const System system = figure1();
  for (const Strategy strategy : {Strategy::kPlanned, Strategy::kReclaim}) {
    StallingDevice stalling(std::move(*open_backend("emulator", system, {})), 3, Time::from_ms(4));
    const trace::Observed report = played(system, stalling, strategy);
    ASSERT_EQ(report.batches->overrun, 1U);
    EXPECT_EQ(report.batches->overruns[0].stalled, Time::from_ms(4));
    EXPECT_EQ(report.batches->overruns[0].took - report.batches->overruns[0].expected,
              Time::from_ms(4));
    EXPECT_GT(all_of(report.batches->by_host), 0U);
    EXPECT_EQ(all_of(report.batches->by_batches), 0U);
  }
}

TEST(LateJobs, AreTheHostsFaultWheneverNoBatchOverruns) {
  int late = 0;
  for (int seed = 0; seed < support::scaled(40); ++seed) {
    const System system = drawn("pbs.graph", static_cast<std::uint64_t>(seed));
    if (!analyze(*find_method("pbs.graph"), system).plan) continue;
    for (const Strategy strategy : {Strategy::kPlanned, Strategy::kReclaim}) {
      BackendOptions options;
      options.jitter = Time::from_ms(5);
      const auto device = open_backend("emulator", system, options);
      const trace::Observed report = played(system, **device, strategy);
      EXPECT_EQ(report.batches->overrun, 0U);
      EXPECT_EQ(all_of(report.batches->by_batches), 0U) << seed;
      EXPECT_EQ(report.batches->by_host.missed, misses_of(report)) << seed;
      late += all_of(report.batches->by_host) > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(late, 10);
}

TEST(PlayTable, AgreesWithTheSimulatorWhenItReclaims) {
  for (const char* method : {"pbs.graph", "pbs.edf-serial", "pbs.edf-parallel"}) {
    for (int seed = 0; seed < support::scaled(60); ++seed) {
      const System system = drawn(method, static_cast<std::uint64_t>(seed));
      const Ran seen = ran(system, {.method = method, .jobs = 6, .strategy = Strategy::kReclaim});
      if (!seen.verdict.plan) continue;
      ASSERT_TRUE(seen.report) << seen.error;
      const auto simulated = simulate::simulate(system, method, "offsets,worst,fifo", 6);
      expect_same_responses(*seen.report, simulated.outcome,
                            std::string(method) + " " + std::to_string(seed));
    }
  }
}

TEST(PlayTable, MissesNothingOnRandomSetsThatHaveATable) {
  int played = 0;
  for (int seed = 0; seed < support::scaled(150); ++seed) {
    const System system = drawn("pbs.graph", static_cast<std::uint64_t>(seed));
    for (const Strategy strategy : {Strategy::kPlanned, Strategy::kReclaim}) {
      for (const char* scenario : {"worst", "early"}) {
        const Ran seen =
            ran(system,
                {.method = "pbs.graph", .scenario = scenario, .jobs = 12, .strategy = strategy});
        if (!seen.verdict.plan) continue;
        ++played;
        expect_sound(system, seen, std::to_string(seed));
        EXPECT_EQ(seen.report->batches->overrun, 0u);
        if (strategy == Strategy::kPlanned) {
          for (const Time late : seen.report->batches->late) EXPECT_EQ(late, Time());
        }
      }
    }
  }
  EXPECT_GT(played, 100);
}

}  // namespace
}  // namespace tactus::runtime
