// What the judge is told of a deployment is what its words and variables really start.
#include "tactus/deploy/cover.hpp"

#include "tests/deploy/systems.hpp"

namespace tactus::deploy {
namespace {

using decide::Holds;
using decide::Tier;
using Variables = std::map<std::string, std::string>;

TEST(StartOfAProgram, HasTheTierThatItsProtocolGivesIt) {
  EXPECT_EQ(task_start({"/bin/x"}, {}, false).tier, Tier::kGate);
  EXPECT_EQ(task_start({"/bin/x"}, {}, true).tier, Tier::kHold);
}

TEST(StartOfAProgram, HasTheChannelOnlyWithTheLibrary) {
  const auto start = task_start({"/bin/x"}, {{"TACTUS_TIER", "channel"}}, true);
  EXPECT_EQ(start.tier, Tier::kHold);
  EXPECT_NE(start.why_tier.find("preloaded library"), std::string::npos);
  EXPECT_EQ(task_start(
                {"/bin/x"},
                {{"TACTUS_TIER", "channel"}, {"LD_PRELOAD", "/usr/lib/libtactus_preload.so"}}, true)
                .tier,
            Tier::kChannel);
  EXPECT_EQ(task_start({"/usr/bin/tactus", "exec", "--segments", "--tier", "channel", "--", "x"},
                       {}, true)
                .tier,
            Tier::kChannel);
  EXPECT_EQ(task_start({"/usr/bin/tactus", "exec", "--segments", "--tier", "channel", "--", "x"},
                       {}, false)
                .tier,
            Tier::kGate)
      << "segments of gcaps wait at their checkpoints";
}

TEST(StartOfAProgram, HasNoTierWhereTheWordIsNone) {
  EXPECT_FALSE(task_start({"tactus", "exec", "--tier", "magic", "--", "x"}, {}, false).tier);
  EXPECT_EQ(task_start({"tactus", "exec", "--tier", "timeslice", "--", "x"}, {}, false).tier,
            std::nullopt)
      << "never taken off";
}

TEST(StartOfAProgram, TakesCopiesOffUnlessToldNotTo) {
  EXPECT_EQ(task_start({"x"}, {}, false).takes_copies_off, true);
  EXPECT_EQ(task_start({"x"}, {{"TACTUS_CHANNEL_COPIES", "no"}}, false).takes_copies_off, false);
}

TEST(StartOfAProgram, IsOneSegmentUnderExec) {
  const auto start = task_start({"tactus", "exec", "--tier", "process", "--priority", "7", "--",
                                 "tactus", "exec", "--segments"},
                                {}, false);
  EXPECT_EQ(start.marks_segments, false);
  EXPECT_EQ(start.tier, Tier::kProcess);
  EXPECT_EQ(start.priority, 7);
  EXPECT_FALSE(start.threshold);
  EXPECT_EQ(task_start({"tactus", "exec", "--priority", "7", "--", "x"}, {}, true).threshold, 7)
      << "everything above takes it off";
  EXPECT_EQ(start.best_effort, false);
  EXPECT_EQ(task_start({"tactus", "exec", "--best-effort", "--", "x"}, {}, false).best_effort,
            true);
  EXPECT_FALSE(task_start({"x"}, {{"TACTUS_SEGMENT_PRIORITY", "9"}}, false).marks_segments);
  EXPECT_EQ(task_start({"x"}, {{"TACTUS_SEGMENT_PRIORITY", "9"}}, false).priority, 9);
}

Holds holds(const System& system, const Wish& wish, std::string_view id,
            std::string_view method = "gcaps.suspend", std::string_view variant = "safe-arbiter") {
  const Verdict plan = plan_of(system, method, variant);
  for (const auto& one :
       judge(system, plan, start_of(system, launched(system, wish, method, variant), wish)))
    if (one.id == id) return one.holds;
  throw std::runtime_error("there is no condition " + std::string(id));
}

/// With time to wait for what leaves.
System patient() {
  System system = robot(R"("arbiter_core": 3, "preemption_delay": 40)");
  for (Task& task : system.tasks)
    if (task.period) task.period = task.deadline = Time::from_ms(5000);
  return system;
}

TEST(StartOfALaunch, DoesNotCoverALongLaunchBehindAGate) {
  EXPECT_EQ(holds(robot(), {}, "leaves"), Holds::kNo);
  EXPECT_EQ(holds(patient(), {}, "leaves"), Holds::kYes);
}

TEST(StartOfALaunch, CoversAPlanThatTakesOffOnlyWithTheChannel) {
  Wish channel;
  channel.by = By::kChannel;
  const auto asked = [&](const Wish& wish, std::string_view id) {
    return holds(robot(), wish, id, "gcaps.boost.suspend", "safe");
  };
  EXPECT_EQ(asked({}, "thresholds"), Holds::kNo);
  EXPECT_EQ(asked({}, "best-effort"), Holds::kNo);
  EXPECT_EQ(asked(channel, "thresholds"), Holds::kYes);
  EXPECT_EQ(asked(channel, "best-effort"), Holds::kYes);
  EXPECT_EQ(asked({}, "arbiter"), Holds::kYes);
  EXPECT_TRUE(launched(robot(), {}, "gcaps.boost.suspend", "safe").counts_on_channel);
  EXPECT_FALSE(launched(patient()).counts_on_channel);
}

TEST(StartOfALaunch, SeesCpusThatAreNotDistinctAndMissingRealTime) {
  Wish wish;
  wish.cpus = {0, 0, 1};
  EXPECT_EQ(holds(robot(), wish, "cores"), Holds::kNo);
  wish.cpus = {0, 1, 1};
  EXPECT_EQ(holds(robot(), wish, "arbiter-core"), Holds::kNo);
  wish.cpus = {0, 1, 2};
  EXPECT_EQ(holds(robot(), wish, "arbiter-core"), Holds::kYes);
  wish.realtime = false;
  EXPECT_EQ(holds(robot(), wish, "cpu-order"), Holds::kNo);
  EXPECT_EQ(holds(robot(), wish, "arbiter-core"), Holds::kNo);
}

TEST(StartOfALaunch, AsProcessesIsNotCovered) {
  Wish wish;
  wish.by = By::kProcess;
  EXPECT_EQ(holds(robot(), wish, "segments"), Holds::kNo);
  EXPECT_EQ(holds(robot(), wish, "real-gpu"), Holds::kNo);
}

TEST(NotSeen, IsEverythingThatThePlanCountsOn) {
  const auto all = not_seen(demand_of(launched(robot()), {}));
  EXPECT_GT(all.size(), 8U);
  for (const auto& one : all) {
    EXPECT_EQ(one.holds, Holds::kNotKnown) << one.id;
    EXPECT_EQ(one.whose, decide::Whose::kMachine);
    EXPECT_EQ(one.id.find(' '), std::string::npos) << one.id;
  }
}

}  // namespace
}  // namespace tactus::deploy
