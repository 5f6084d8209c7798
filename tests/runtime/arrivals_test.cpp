// Jobs that are released when an input is there: of every kind of arrival, on the emulator.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/runtime/support.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::runtime {
namespace {

/// A job of the camera takes 5 of its period of 10; the lidar comes by the clock.
System robot(std::string_view camera = "") {
  return simulate::read(R"({"tactus":1,"name":"o","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":8}]},"tasks":[
      {"name":"camera","period":10,"deadline":10)" +
                        std::string(camera) + R"(,"nodes":[
        {"name":"detect","on":"gpu","times":[{"units":4,"wcet":5}]}]},
      {"name":"lidar","period":20,"deadline":20,"nodes":[
        {"name":"cluster","on":"gpu","times":[{"units":4,"wcet":5}]}]}]})");
}

class OnArrival : public testing::Test {
 protected:
  OnArrival() {
    arrivals_.release_on_arrival("camera", 100);
    options_.arrivals = &arrivals_;
    options_.duration = Time::from_ms(200);
    options_.sink = &trace_;
  }

  void come(std::initializer_list<int> at_ms) {
    for (const int at : at_ms) {
      EXPECT_NE(arrivals_.arrive("camera", std::int64_t{at} * 1'000'000).value_or(0), 0U);
    }
  }
  Result<trace::Observed> run(const System& system, std::string_view method = "gang.swc") {
    const Verdict verdict = analyze(*find_method(method), system);
    BackendOptions machine;
    machine.doorbell = &arrivals_.doorbell();
    const auto device = open_backend("emulator", system, machine);
    return run_plan(system, {method, verdict.plan}, **device, options_);
  }
  /// When the jobs of the camera were released, and ended.
  std::vector<std::pair<int, int>> camera() const {
    std::vector<std::pair<int, int>> all;
    for (const trace::JobSpan& job : trace_.jobs) {
      if (job.task == 0) all.emplace_back(job.release.ns() / 1000000, job.end.ns() / 1000000);
    }
    return all;
  }

  Arrivals arrivals_;
  RunOptions options_;
  trace::Trace trace_;
  std::atomic<int> trace_jobs_ = 0;
};

using Jobs = std::vector<std::pair<int, int>>;

TEST_F(OnArrival, AJobStartsWhenItsInputIsThere) {
  come({3, 14, 77});
  const auto seen = run(robot());
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(camera(), (Jobs{{3, 8}, {14, 19}, {77, 82}}));
  EXPECT_TRUE(seen->good());
  EXPECT_EQ(seen->tasks[1].responses.size(), 10U) << "the clock of the others goes on";
}

TEST_F(OnArrival, OneThatComesEarlyWaitsForItsPeriodAndIsTold) {
  come({3, 4, 5, 50});
  const auto seen = run(robot());
  ASSERT_TRUE(seen);
  EXPECT_EQ(camera(), (Jobs{{3, 8}, {13, 18}, {23, 28}, {50, 55}}));
  EXPECT_TRUE(seen->good()) << "a bound counts from the release";
  EXPECT_EQ(seen->notes.back(),
            "2 inputs of task `camera` came less than its period after the one before, and waited");
}

TEST_F(OnArrival, ManyAtOnceAreServedOneAfterTheOther) {
  come({0, 0, 0, 0, 0});
  const auto seen = run(robot());
  ASSERT_TRUE(seen);
  EXPECT_EQ(camera(), (Jobs{{0, 5}, {10, 15}, {20, 25}, {30, 35}, {40, 45}}));
}

TEST_F(OnArrival, AsManyWaitAsMay) {
  arrivals_.release_on_arrival("camera", 2);
  EXPECT_EQ(arrivals_.arrive("camera", 0), 1U);
  EXPECT_EQ(arrivals_.arrive("camera", 0), 2U);
  EXPECT_EQ(arrivals_.arrive("camera", 0), 0U);
  EXPECT_EQ(arrivals_.arrive("lidar", 0), std::nullopt) << "it has a clock";
  const auto seen = run(robot());
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->tasks[0].responses.size(), 2U);
  EXPECT_EQ(seen->notes.back(), "1 inputs of task `camera` were refused: too many waited");
  arrivals_.forget();
  EXPECT_EQ(arrivals_.arrive("camera", 0), 1U) << "the next run counts anew";
}

TEST_F(OnArrival, WithoutInputsNothingRunsUntilTheEnd) {
  const auto seen = run(robot());
  ASSERT_TRUE(seen);
  EXPECT_TRUE(camera().empty());
  EXPECT_EQ(seen->tasks[1].responses.size(), 10U);
}

TEST_F(OnArrival, AfterTheEndNothingIsTaken) {
  come({195, 300});
  const auto seen = run(robot());
  ASSERT_TRUE(seen);
  EXPECT_EQ(camera(), (Jobs{{195, 200}}));
}

TEST_F(OnArrival, JitterIsHowLateAReleaseMayBeNoticed) {
  come({3, 33});
  const auto seen = run(robot(R"(,"jitter":2)"));
  ASSERT_TRUE(seen);
  ASSERT_TRUE(seen->tasks[0].releases);
  EXPECT_EQ(seen->tasks[0].releases->outside(), 0U);
  EXPECT_GE(*seen->tasks[0].bound, Time::from_ms(7)) << "counts from the arrival";
}

TEST_F(OnArrival, OverrunsDoNotSkipAnInputThatWasTaken) {
  options_.on_overrun = OnOverrun::kSkipNext;
  come({0, 1, 2});
  const System slower = robot();
  const Verdict verdict = analyze(*find_method("gang.swc"), slower);
  class Slow final : public WrappedDevice {
   public:
    using WrappedDevice::launch, WrappedDevice::WrappedDevice;
    std::optional<Error> launch(const Kernel& kernel, OpId op) override {
      Kernel changed = kernel;
      if (changed.task == 0) changed.least = changed.longest = Time::from_ms(25);
      return WrappedDevice::launch(changed, op);
    }
  } device(std::move(*open_backend("emulator", slower, {})));
  const auto seen = run_plan(slower, {"gang.swc", verdict.plan}, device, options_);
  ASSERT_TRUE(seen);
  EXPECT_EQ(camera(), (Jobs{{0, 25}, {10, 50}, {20, 75}}));
  EXPECT_TRUE(seen->failures.empty());
}

TEST_F(OnArrival, AnInputCanComeFromAnotherThreadWhileItRuns) {
  System alone = robot();
  alone.tasks.pop_back();
  std::stop_source stop;
  options_.duration.reset();
  options_.until_stopped = true;
  options_.stop = stop.get_token();
  std::thread sensor([&] {
    for (std::uint32_t i = 1; i <= 3; ++i) EXPECT_EQ(arrivals_.arrive("camera", 0), i);
    while (trace_jobs_ < 3) std::this_thread::yield();
    stop.request_stop();
    arrivals_.doorbell().ring();
  });
  class Count final : public trace::TraceSink {
   public:
    explicit Count(std::atomic<int>& count) : count_(count) {}
    void add(const trace::Interval&) override {}
    void add(const trace::JobSpan&) override { ++count_; }
    void add(const trace::Usage&) override {}

   private:
    std::atomic<int>& count_;
  } count(trace_jobs_);
  options_.sink = &count;
  const auto seen = run(alone);
  sensor.join();
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->tasks[0].responses.size(), 3U);
}

TEST_F(OnArrival, ATableOfTimesCannotWaitForInputs) {
  const auto seen = run(robot(), "pbs.graph");
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().message,
            "task `camera` cannot be released on arrival: this plan is a table of times");
}

}  // namespace
}  // namespace tactus::runtime
