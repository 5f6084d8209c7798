// What all executors share: releases, backlog, ends of a run, and machines that fail.
#include <gtest/gtest.h>

#include "tests/runtime/support.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::runtime {
namespace {

/// One kernel of `load` on one SM, every `period` (none: back to back).
System one_kernel(int load, const std::string& period) {
  return simulate::read(R"({"tactus":1,"name":"x","time_unit":"unit","platform":{"elements":[
      {"name":"gpu","kind":"gpu","t_min":1,"units":1}]},"tasks":[{"name":"t",)" +
                        period + R"("nodes":[{"name":"k","on":"gpu","load":)" +
                        std::to_string(load) + "}]}]}");
}

struct Running {
  explicit Running(System source) : system(std::move(source)) {
    verdict = analyze(*find_method("dag.greedy"), system);
    options.scenario.releases = trace::Releases::kOffsets;
  }
  Result<trace::Observed> on(Device& device) {
    return run_plan(system, {"dag.greedy", verdict.plan}, device, options);
  }
  Result<trace::Observed> on_emulator() {
    const auto device = open_backend("emulator", system, {});
    return on(**device);
  }
  System system;
  Verdict verdict;
  RunOptions options;
};

TEST(Loop, RunsJobsWithoutAPeriodBackToBack) {
  Running running(one_kernel(3, ""));
  running.options.jobs = 4;
  const auto report = running.on_emulator();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->end, Time::from_ms(12));
  EXPECT_EQ(report->tasks[0].responses, std::vector<Time>(4, Time::from_ms(3)));
}

TEST(Loop, ReleasesJobsUntilTheDurationAndFinishesThem) {
  Running running(one_kernel(3, R"("period":5,)"));
  running.options.duration = Time::from_ms(11);
  const auto report = running.on_emulator();
  EXPECT_EQ(report->tasks[0].responses.size(), 3u);  // at 0, 5 and 10
  EXPECT_EQ(report->end, Time::from_ms(13));
}

/// A job that waits for the one before is late, but its own time is within the bound.
TEST(Loop, LetsJobsWaitForTheOneBefore) {
  Running running(one_kernel(3, R"("period":2,)"));
  running.options.jobs = 3;
  const auto report = running.on_emulator();
  const std::vector<Time> expected = {Time::from_ms(3), Time::from_ms(4), Time::from_ms(5)};
  EXPECT_EQ(report->tasks[0].responses, expected);
  EXPECT_EQ(report->tasks[0].misses, 3u);
  EXPECT_FALSE(report->tasks[0].exceeds_bound());
  EXPECT_FALSE(report->good());
}

/// Asks to stop when the second job has ended.
class StopsEarly final : public trace::TraceSink {
 public:
  void add(const trace::Interval&) override {}
  void add(const trace::Usage&) override {}
  void add(const trace::JobSpan&) override {
    if (++jobs_ == 2) source.request_stop();
  }
  std::stop_source source;

 private:
  int jobs_ = 0;
};

TEST(Loop, EndsCleanlyWithWhatItHasWhenInterrupted) {
  Running running(one_kernel(3, R"("period":5,)"));
  StopsEarly sink;
  running.options.jobs = 1000;
  running.options.sink = &sink;
  running.options.stop = sink.source.get_token();
  const auto report = running.on_emulator();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->cut_short, "it was interrupted");
  EXPECT_EQ(report->tasks[0].responses.size(), 2u);
  EXPECT_TRUE(report->good());
}

/// A GPU as it may be: loses a piece of work, breaks the order, fails, is gone.
class FaultyDevice final : public WrappedDevice {
 public:
  enum Fault { kLosesWork, kFailsToLaunch, kIsLost, kReportsFailure, kCrowds };
  FaultyDevice(std::unique_ptr<Device> device, Fault fault)
      : WrappedDevice(std::move(device)), fault_(fault) {}
  using WrappedDevice::launch;
  std::optional<Error> launch(GraphId graph, OpId op) override {
    if (fault_ == kFailsToLaunch && op == 2) return Error{"the launch failed"};
    return WrappedDevice::launch(graph, op);
  }
  Result<std::vector<Completion>> wait(std::optional<Time> until) override {
    auto completions = WrappedDevice::wait(until);
    for (Completion& completion : *completions) {
      if (fault_ == kIsLost && completion.op == 2) return Error{"the device was lost"};
      if (fault_ == kLosesWork) --completion.kernels.front().pieces_done;
      if (fault_ == kCrowds) completion.kernels.front().blocks[1].sm = 0;
      completion.failed = fault_ == kReportsFailure;
      completion.problem = "a time limit was reached";
    }
    return completions;
  }

 private:
  Fault fault_;
};

TEST(Loop, EndsWithTheDevicesOneLineWhenItFails) {
  for (const auto& [fault, line] : {std::pair(FaultyDevice::kFailsToLaunch, "the launch failed"),
                                    std::pair(FaultyDevice::kIsLost, "the device was lost")}) {
    Running running(one_kernel(3, R"("period":5,)"));
    FaultyDevice device(std::move(*open_backend("emulator", running.system, {})), fault);
    const auto report = running.on(device);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().message, line);
  }
}

TEST(Loop, CountsLostWorkAndFailedOperations) {
  for (const auto& [fault, line] :
       {std::pair(FaultyDevice::kLosesWork, "`k` of task `t` did 0 of its 1 pieces of work"),
        std::pair(FaultyDevice::kReportsFailure, "a time limit was reached")}) {
    Running running(one_kernel(1, R"("period":5,)"));
    running.options.jobs = 30;
    FaultyDevice device(std::move(*open_backend("emulator", running.system, {})), fault);
    const auto report = running.on(device);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->failed, 30u);
    EXPECT_EQ(report->failures.size(), 20u);
    EXPECT_EQ(report->failures.front(), line);
    EXPECT_FALSE(report->good());
  }
}

TEST(Loop, TakesNoOtherWidthUnderStrict) {
  System system = simulate::read(R"({"tactus":1,"name":"x","time_unit":"unit",
      "platform":{"elements":[{"name":"gpu","kind":"gpu","t_min":1,"units":2}]},
      "tasks":[{"name":"t","nodes":[{"name":"k","on":"gpu","load":2}]}]})");
  for (const bool strict : {false, true}) {
    Running running(system);
    running.options.strict = strict;
    running.options.jobs = 3;
    FaultyDevice device(std::move(*open_backend("emulator", running.system, {})),
                        FaultyDevice::kCrowds);
    const auto report = running.on(device);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->nodes[0].width_differs());
    EXPECT_EQ(report->good(), !strict);
    if (!strict) continue;
    EXPECT_EQ(report->failures.front(), "`k` of task `t` ran on 1 to 1 units instead of 2");
  }
}

TEST(Backend, NamesTheBackendsThatThereAre) {
  const System system = one_kernel(1, "");
  EXPECT_EQ(open_backend("abacus", system, {}).error().message,
            "there is no backend `abacus`; there are emulator, cuda, driver and cpu");
}

}  // namespace
}  // namespace tactus::runtime
