// Jobs that take longer than a bound or their deadline: what follows; and runs without an end.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tactus/trace/recent_times.hpp"
#include "tests/runtime/support.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::runtime {
namespace {

System camera() {
  return simulate::read(R"({"tactus":1,"name":"o","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":8}]},"tasks":[
      {"name":"camera","period":10,"deadline":10,"nodes":[
        {"name":"detect","on":"gpu","times":[{"units":8,"wcet":5}]}]}]})");
}

/// A machine on which some jobs (by their number) take longer than the plan says.
class SlowNowAndThen final : public WrappedDevice {
 public:
  SlowNowAndThen(std::unique_ptr<Device> device, std::map<int, Time> slow)
      : WrappedDevice(std::move(device)), slow_(std::move(slow)) {}
  using WrappedDevice::launch;
  std::optional<Error> launch(const Kernel& kernel, OpId op) override {
    Kernel changed = kernel;
    const auto found = slow_.find(launched_++);
    if (found != slow_.end()) changed.least = changed.longest = found->second;
    return WrappedDevice::launch(changed, op);
  }

 private:
  std::map<int, Time> slow_;
  int launched_ = 0;
};

Result<trace::Observed> run(const std::map<int, Time>& slow, RunOptions options,
                            std::uint32_t jobs = 6) {
  const System system = camera();
  const Verdict verdict = analyze(*find_method("gang.swc"), system);
  SlowNowAndThen device(std::move(*open_backend("emulator", system, {})), slow);
  options.jobs = jobs;
  return run_plan(system, {"gang.swc", verdict.plan}, device, options);
}

const std::map<int, Time> kOverBound = {{2, Time::from_ms(7)}};
const std::map<int, Time> kMissed = {{2, Time::from_ms(12)}};

TEST(Overrun, IsCountedWhateverIsAskedFor) {
  const auto seen = run(kOverBound, {});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->nodes.front().over, 1U);
  EXPECT_EQ(seen->tasks.front().responses.size(), 6U);
  EXPECT_TRUE(seen->notes.empty());
}

TEST(Overrun, IsListedWhereItIsLogged) {
  RunOptions options;
  options.on_overrun = OnOverrun::kLog;
  const auto seen = run(kMissed, options);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->tasks.front().misses, 1U);
  EXPECT_EQ(seen->notes,
            (std::vector<std::string>{
                "overrun at 32: job 2 of task `camera` took 12 in `detect`, the bound is 5",
                "overrun at 32: job 2 of task `camera` took 12, its deadline is 10"}));
}

TEST(Overrun, CanKeepTheNextJobFromBeingReleased) {
  RunOptions options;
  options.on_overrun = OnOverrun::kSkipNext;
  const auto seen = run(kOverBound, options);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->tasks.front().responses.size(), 5U);
  EXPECT_FALSE(seen->good());
  EXPECT_EQ(seen->failures,
            std::vector<std::string>{"1 jobs of task `camera` were skipped after an overrun"});
}

TEST(Overrun, SkipsTheJobThatIsDueWhileTheOneBeforeIsPastItsDeadline) {
  RunOptions options;
  options.on_overrun = OnOverrun::kSkipNext;
  // Job 1 runs from 10 to 45: the one at 20 waits (the deadline has not passed yet), those at 30
  // and 40 are skipped, and so is the one after its end.
  const auto seen = run({{1, Time::from_ms(35)}}, options, 8);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->tasks.front().responses.size() +
                static_cast<std::size_t>(std::stoi(seen->failures.front())),
            8U);
  EXPECT_GE(std::stoi(seen->failures.front()), 3);
}

TEST(Overrun, CanEndTheRun) {
  RunOptions options;
  options.on_overrun = OnOverrun::kStop;
  const auto seen = run(kOverBound, options);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->tasks.front().responses.size(), 3U);
  EXPECT_EQ(
      seen->cut_short,
      "it was stopped at an overrun: job 2 of task `camera` took 7 in `detect`, the bound is 5");
}

TEST(Overrun, TheCallbackIsAskedOnceAboutAJobThatIsLateAndStillRuns) {
  int late = 0;
  RunOptions options;
  options.overrun_callback = [&](const Overrun& overrun) {
    late += overrun.node || overrun.job != 1 ? 0 : 1;
    return OnOverrun::kSkipNext;
  };
  const auto seen = run({{1, Time::from_ms(65)}}, options, 12);
  ASSERT_TRUE(seen);
  EXPECT_EQ(late, 1);
  EXPECT_LE(seen->tasks.front().misses, 2U) << "the one that waited, and no more";
  EXPECT_GE(std::stoi(seen->failures.front()), 5);
}

TEST(Overrun, WhatWaitsWhenARunIsStoppedIsNotBegun) {
  std::stop_source stop;
  RunOptions options;
  options.until_stopped = true;
  options.stop = stop.get_token();
  options.overrun_callback = [&](const Overrun& overrun) {
    if (overrun.job == 1) stop.request_stop();  // its deadline has passed long ago
    return OnOverrun::kLog;
  };
  const auto seen = run({{1, Time::from_ms(65)}}, options);
  ASSERT_TRUE(seen);
  EXPECT_LE(seen->tasks.front().responses.size(), 3U);
  EXPECT_NE(seen->notes.back().find("waited for the one before when the run was stopped"),
            std::string::npos)
      << seen->notes.back();
}

TEST(Overrun, IsDecidedByTheCallbackWhereThereIsOne) {
  std::vector<Overrun> told;
  RunOptions options;
  options.on_overrun = OnOverrun::kStop;
  options.overrun_callback = [&](const Overrun& overrun) {
    told.push_back(overrun);
    return OnOverrun::kLog;
  };
  const auto seen = run(kMissed, options);
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->cut_short.empty());
  EXPECT_EQ(seen->tasks.front().responses.size(), 6U);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].node, 0U);
  EXPECT_EQ(told[0].limit, Time::from_ms(5));
  EXPECT_EQ(told[0].took, Time::from_ms(12));
  EXPECT_FALSE(told[1].node);
  EXPECT_EQ(told[1].job, 2U);
}

TEST(WithoutAnEnd, ARunGoesOnUntilItIsStoppedAndIsWholeThen) {
  std::stop_source stop;
  RunOptions options;
  options.until_stopped = true;
  options.stop = stop.get_token();
  int looks = 0;
  options.look = [&](const trace::Observed& so_far, const auto& /*live*/) {
    ++looks;
    if (so_far.tasks.front().responses.size() > 100) stop.request_stop();
  };
  const auto seen = run({}, options);
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_GT(seen->tasks.front().responses.size(), 100U);
  EXPECT_TRUE(seen->cut_short.empty());
  EXPECT_TRUE(seen->good());
  EXPECT_GT(looks, 1);
}

TEST(WithoutAnEnd, OnlyTheLastTimesAreKeptAndTheLongest) {
  std::vector<Time> times;
  std::size_t forgotten = 0, added = 0;
  std::mt19937 random(1);
  Time longest;
  for (; added < 200'000; ++added) {
    const Time time = Time::from_ns(static_cast<std::int64_t>(random() % 1'000'000));
    longest = std::max(longest, time);
    times.push_back(time);
    forgotten += trace::forget_old(times);
    ASSERT_LT(times.size(), trace::kMostKept);
  }
  EXPECT_EQ(times.size() + forgotten, added);
  EXPECT_EQ(*std::max_element(times.begin(), times.end()), longest);
}

TEST(WithoutAnEnd, MemoryStaysConstant) {
  std::stop_source stop;
  RunOptions options;
  options.until_stopped = true;
  options.stop = stop.get_token();
  std::uint64_t runs = 0;
  options.look = [&](const trace::Observed& so_far, const auto& /*live*/) {
    runs = so_far.nodes.front().runs;
    EXPECT_LE(so_far.tasks.front().responses.size(), trace::kMostKept);
    EXPECT_LE(so_far.tasks.front().late.size(), trace::kMostKept);
    if (runs > 2 * trace::kMostKept) stop.request_stop();
  };
  const auto seen = run({}, options);
  ASSERT_TRUE(seen);
  EXPECT_LE(seen->tasks.front().responses.size(), trace::kMostKept);
  EXPECT_EQ(seen->tasks.front().jobs(), seen->nodes.front().runs) << "all are counted";
  EXPECT_TRUE(std::any_of(seen->notes.begin(), seen->notes.end(), [](const std::string& note) {
    return note.find("earlier jobs are not kept") != std::string::npos;
  }));
}

}  // namespace
}  // namespace tactus::runtime
