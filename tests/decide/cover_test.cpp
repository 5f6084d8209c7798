// One judge says whether a start covers a proof.
#include "tactus/decide/cover.hpp"

#include <algorithm>
#include <regex>

#include "tactus/decide/run_start.hpp"
#include "tactus/methods/method.hpp"
#include "tests/support/read.hpp"

namespace tactus::decide {
namespace {

/// Two real-time users of the GPU on one core, one task without GPU work on another, best effort; a
/// core for the arbiter. @param gpu more of the GPU @param node more of the node of `low`
System robot(const std::string& gpu = "", const std::string& node = "") {
  return support::read(
      R"({"tactus": 1, "name": "robot", "platform": {"elements": [
      {"name": "cpu", "kind": "cpu", "units": 3},
      {"name": "gpu", "kind": "gpu", "units": 8, "runlist_update": 0.1, "context_switch": 0.1,
       "arbiter_core": 3)" +
      gpu + R"(}]}, "tasks": [
      {"name": "high", "priority": 8, "gpu_priority": 9, "period": 100, "core": 1,
       "nodes": [{"name": "c", "on": "cpu", "wcet": 1}, {"name": "g", "on": "gpu", "wcet": 5}]},
      {"name": "low", "priority": 7, "gpu_priority": 2, "period": 300, "core": 1,
       "nodes": [{"name": "g", "on": "gpu", "wcet": 4)" +
      node + R"(}, {"name": "h", "on": "gpu", "wcet": 6}]},
      {"name": "motor", "priority": 90, "period": 50, "core": 2,
       "nodes": [{"name": "c", "on": "cpu", "wcet": 1}]},
      {"name": "mapping", "best_effort": true, "core": 2,
       "nodes": [{"name": "g", "on": "gpu", "wcet": 40}]}]})");
}
constexpr TaskIndex kHigh = 0, kLow = 1, kMotor = 2, kMapping = 3;
const std::string kProtected = R"(, "gpu_threshold": 9)", kPreemptable = R"(, "gpu_threshold": 2)";

Verdict plan_of(const System& system, std::string_view method, std::string_view variant) {
  Options options;
  options.variant = variant;
  Verdict verdict = analyze(*find_method(method), system, options);
  EXPECT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
  return verdict;
}
Verdict gcaps_plan(const System& system) {
  return plan_of(system, "gcaps.suspend", "safe-arbiter");
}
Verdict boost_plan(const System& system) { return plan_of(system, "gcaps.boost.suspend", "safe"); }

const Condition& condition(const std::vector<Condition>& all, std::string_view id) {
  for (const Condition& one : all)
    if (one.id == id) return one;
  throw std::runtime_error("there is no condition " + std::string(id));
}

/// Everything but one condition is as before, and that one does not hold; it says what and why.
void expect_only_no(const System& system, const Verdict& plan, const Start& start,
                    std::string_view id, const std::string& part) {
  const auto all = judge(system, plan, start);
  for (const Condition& one : all) {
    EXPECT_EQ(one.holds == Holds::kNo, one.id == id) << one.id << ": " << one.what;
    EXPECT_FALSE(one.from.empty()) << one.id;
  }
  EXPECT_NE(condition(all, id).what.find(part), std::string::npos) << condition(all, id).what;
  EXPECT_FALSE(condition(all, id).help.empty()) << id;
  EXPECT_EQ(conclusion(all), Holds::kNo);
}

// --- gcaps: what must leave is off after preemption_delay

TEST(CoverOfGcaps, HoldsOnlyIfTheLongestLaunchIsWithinThePreemptionDelay) {
  const System as_is = robot();
  expect_only_no(as_is, gcaps_plan(as_is), usual_start(as_is, gcaps_plan(as_is), Tier::kGate),
                 "leaves", "low 6 (tier gate), mapping 40 (tier gate)");
  const System forty = robot(R"(, "preemption_delay": 40)");
  const Start start = usual_start(forty, gcaps_plan(forty), Tier::kGate);
  EXPECT_EQ(conclusion(judge(forty, gcaps_plan(forty), start)), Holds::kYes);
  const System shorter = robot(R"(, "preemption_delay": 39.999999)");
  expect_only_no(shorter, gcaps_plan(shorter), start, "leaves", "mapping 40");
}

TEST(CoverOfGcaps, CountsRealTimeTasksThatMustLeaveToo) {
  // Best effort is taken off by the channel; a program that marks its segments waits at its gate.
  const System five = robot(R"(, "preemption_delay": 5)");
  expect_only_no(five, gcaps_plan(five), usual_start(five, gcaps_plan(five), Tier::kChannel),
                 "leaves", "low 6 (tier gate)");
  const System six = robot(R"(, "preemption_delay": 6)");
  EXPECT_EQ(
      conclusion(judge(six, gcaps_plan(six), usual_start(six, gcaps_plan(six), Tier::kChannel))),
      Holds::kYes);
}

TEST(CoverOfGcaps, TakesAMeasuredTimeToLeaveForTheTimesOfTheFile) {
  const System system = robot(R"(, "preemption_delay": 1)");
  Start start = usual_start(system, gcaps_plan(system), Tier::kGate);
  for (TaskStart& task : start.tasks) task.leaves_in = Time::from_ms(1);
  EXPECT_EQ(conclusion(judge(system, gcaps_plan(system), start)), Holds::kYes);
  start.tasks[kLow].leaves_in = Time::from_us(1001);
  expect_only_no(system, gcaps_plan(system), start, "leaves", "low 1.001");
  start.tasks[kLow].tier.reset();
  EXPECT_EQ(condition(judge(system, gcaps_plan(system), start), "leaves").holds, Holds::kNotKnown);
}

// --- copies that meet: measured alone, they must leave with the rest

/// `low` and `mapping` copy on one element, side by side; their times were measured alone.
System copying() {
  System system = robot(
      R"(, "preemption_delay": 6, "preempt_cost": 40, "resume_cost": 0.1},
         {"name": "bus", "kind": "copy", "units": 1, "sharing": "shared")",
      kProtected + R"(}, {"name": "up", "on": "bus", "wcet": 1)");
  system.tasks[kMapping].nodes[0].on = 2;
  return system;
}
constexpr std::size_t kUp = 1;

TEST(CoverOfCopies, MeasuredAloneNeedsATierThatTakesThemOff) {
  const System system = copying();
  const Verdict plan = gcaps_plan(system);
  Start start = usual_start(system, plan, Tier::kChannel);
  EXPECT_EQ(condition(judge(system, plan, start), "copies").holds, Holds::kYes);
  EXPECT_EQ(conclusion(judge(system, plan, start)), Holds::kYes);
  start.tasks[kMapping].takes_copies_off = false;
  expect_only_no(system, plan, start, "copies",
                 "(`low.up`), and copies of these go on beside them: mapping");
  start.tasks[kMapping].takes_copies_off.reset();
  EXPECT_EQ(condition(judge(system, plan, start), "copies").holds, Holds::kNotKnown);
  start.tasks[kMapping].tier = Tier::kYield;
  EXPECT_EQ(condition(judge(system, plan, start), "copies").holds, Holds::kNo);
  start.own_programs = true;
  EXPECT_EQ(condition(judge(system, plan, start), "copies").holds, Holds::kYes);
  start.tasks[kMapping].tier.reset();
  EXPECT_EQ(condition(judge(system, plan, start), "copies").holds, Holds::kNotKnown);
}

TEST(CoverOfCopies, WaitsForThemWhereTheTierWaits) {
  const System system = copying();
  const Verdict gcaps = gcaps_plan(system), boost = boost_plan(system);
  EXPECT_EQ(
      condition(judge(system, gcaps, usual_start(system, gcaps, Tier::kGate)), "copies").holds,
      Holds::kYes);
  EXPECT_EQ(
      condition(judge(system, boost, usual_start(system, boost, Tier::kHold)), "copies").holds,
      Holds::kYes);
}

TEST(CoverOfCopies, IsNotAskedWhereTheyWereMeasuredBesideCopiesOrNobodyElseCopies) {
  const auto asked = [](const System& system) {
    const Verdict plan = gcaps_plan(system);
    const auto all = judge(system, plan, usual_start(system, plan, Tier::kGate));
    return std::any_of(all.begin(), all.end(), [](const auto& one) { return one.id == "copies"; });
  };
  System measured = copying();
  Measured beside;
  beside.enemy = "copies";
  measured.tasks[kLow].nodes[kUp].measured = beside;
  EXPECT_FALSE(asked(measured));
  System alone = copying();
  alone.tasks[kMapping].nodes[0].on = 1;
  EXPECT_FALSE(asked(alone));
  System one_at_a_time = copying();
  one_at_a_time.platform.elements[2].sharing.reset();
  EXPECT_FALSE(asked(one_at_a_time)) << "the bounds count the wait";
}

TEST(CoverOfARun, RefusesOnAGpuWhatDoesNotLeaveInTime) {
  Start start;
  const auto refused = [&](const char* id, Holds holds = Holds::kNo) {
    return keeps_from_running(start, {id, {}, holds, {}, {}});
  };
  for (const char* id : {"thresholds", "leaves", "best-effort", "copies"}) {
    EXPECT_TRUE(refused(id)) << id;
    EXPECT_FALSE(refused(id, Holds::kNotKnown)) << id;
  }
  EXPECT_FALSE(refused("cores"));
  start.real_gpu = false;
  EXPECT_FALSE(refused("leaves"));
  EXPECT_TRUE(refused("thresholds")) << "the plan takes off what nothing takes off";
}

// --- boost: thresholds and best effort

TEST(CoverOfBoost, NeedsATierThatTakesOffWhatThePlanTakesOff) {
  const System system = robot(R"(, "preempt_cost": 40, "resume_cost": 0.1)", kPreemptable);
  const Verdict plan = boost_plan(system);
  expect_only_no(system, plan, usual_start(system, plan, Tier::kHold), "thresholds",
                 "low (threshold 2, tier hold)");
  for (const Tier tier : {Tier::kChannel, Tier::kYield})
    EXPECT_EQ(conclusion(judge(system, plan, usual_start(system, plan, tier))), Holds::kYes);
  Start process = usual_start(system, plan, Tier::kProcess);
  EXPECT_EQ(condition(judge(system, plan, process), "thresholds").holds, Holds::kNo)
      << "a stopped process does not stop its kernels";
  process.real_gpu = false;
  expect_only_no(system, plan, process, "real-gpu", "not done on a GPU");
}

TEST(CoverOfBoost, HoldsWithGatesAloneWhereEverySegmentIsProtected) {
  const System system = robot(R"(, "preempt_cost": 40, "resume_cost": 0.1)", kProtected);
  const Verdict plan = boost_plan(system);
  EXPECT_EQ(conclusion(judge(system, plan, usual_start(system, plan, Tier::kHold))), Holds::kYes);
}

TEST(CoverOfBoost, NeedsBestEffortThatIsShortOrTakenOff) {
  const System system = robot(R"(, "preempt_cost": 39, "resume_cost": 0.1)", kProtected);
  const Verdict plan = boost_plan(system);
  Start start = usual_start(system, plan, Tier::kHold);
  expect_only_no(system, plan, start, "best-effort", "mapping 40 (tier hold)");
  start.tasks[kMapping].tier = Tier::kChannel;
  EXPECT_EQ(conclusion(judge(system, plan, start)), Holds::kYes);
  start.tasks[kMapping].tier.reset();
  EXPECT_EQ(condition(judge(system, plan, start), "best-effort").holds, Holds::kNotKnown);
}

TEST(CoverOfBoost, SeesOtherThresholdsThanThoseOfThePlan) {
  const System system = robot(R"(, "preempt_cost": 40, "resume_cost": 0.1)", kPreemptable);
  const Verdict plan = boost_plan(system);
  Start start = usual_start(system, plan, Tier::kChannel);
  start.tasks[kLow].threshold = 2;
  EXPECT_EQ(conclusion(judge(system, plan, start)), Holds::kYes);
  start.tasks[kLow].threshold = 7;
  expect_only_no(system, plan, start, "thresholds", "low 7");
  start.tasks[kLow].threshold = 2;
  start.tasks[kHigh].threshold = INT32_MAX;  // it is above all in any case
  EXPECT_EQ(conclusion(judge(system, plan, start)), Holds::kYes);
}

// --- what both have

class CoverOfProcesses : public testing::Test {
 protected:
  void expect_no(std::string_view id, const std::string& part) const {
    expect_only_no(system_, plan_, start_, id, part);
  }
  const System system_ = robot(R"(, "preemption_delay": 40)");
  const Verdict plan_ = gcaps_plan(system_);
  Start start_ = usual_start(system_, plan_, Tier::kGate);
};

TEST_F(CoverOfProcesses, HoldsAsUsual) {
  const auto all = judge(system_, plan_, start_);
  EXPECT_EQ(conclusion(all), Holds::kYes);
  EXPECT_EQ(condition(all, "segments").holds, Holds::kNotKnown) << "only the program knows";
  EXPECT_EQ(condition(all, "segments").whose, Whose::kProgram);
}

TEST_F(CoverOfProcesses, NeedsEachTaskOnTheCpuOfItsCore) {
  start_.tasks[kLow].cpus = std::set<int>{7};
  expect_no("cores", "low");
  start_.tasks[kLow].cpus = std::set<int>{1, 7};
  expect_no("cores", "low");
  start_.tasks[kLow].cpus = std::set<int>{1};
  start_.tasks[kMotor].cpus = start_.tasks[kMapping].cpus = std::set<int>{1};
  expect_no("cores", "motor");
  start_.tasks[kMotor].cpus.reset();
  start_.tasks[kMapping].cpus = std::set<int>{2};
  EXPECT_EQ(conclusion(judge(system_, plan_, start_)), Holds::kNotKnown);
}

TEST_F(CoverOfProcesses, NeedsTheOrderOfThePlanOnACore) {
  start_.tasks[kLow].fifo = start_.tasks[kHigh].fifo;
  expect_no("cpu-order", "high above low");
  start_.tasks[kLow].fifo = *start_.tasks[kHigh].fifo - 1;
  start_.tasks[kMapping].fifo = start_.tasks[kMotor].fifo;
  expect_no("cpu-order", "motor above mapping");
  start_.tasks[kMapping].fifo.reset();
  EXPECT_EQ(conclusion(judge(system_, plan_, start_)), Holds::kNotKnown);
}

TEST_F(CoverOfProcesses, NeedsNoRealTimeWhereNoCoreIsShared) {
  for (TaskStart& task : start_.tasks) task.fifo = 0;
  EXPECT_EQ(condition(judge(system_, plan_, start_), "cpu-order").holds, Holds::kNo);
  System apart = system_;
  apart.platform.elements[0].units = 5;
  apart.platform.elements[1].arbiter_core = 5;
  for (TaskIndex i = 0; i < apart.tasks.size(); ++i) apart.tasks[i].core = i + 1;
  const Verdict plan = gcaps_plan(apart);
  Start start = usual_start(apart, plan, Tier::kGate);
  for (TaskStart& task : start.tasks) task.fifo = 0;
  EXPECT_EQ(conclusion(judge(apart, plan, start)), Holds::kYes);
}

TEST_F(CoverOfProcesses, NeedsAnArbiterOfItsProtocolAloneOnItsCpu) {
  start_.arbiter->cpu = 1;
  expect_no("arbiter-core", "high, low");
  start_.arbiter->cpu.reset();
  expect_no("arbiter-core", "no CPU of its own");
  start_.arbiter->cpu = 3;
  start_.arbiter->fifo = 0;
  expect_no("arbiter-core", "not SCHED_FIFO");
  start_.arbiter->fifo = 90;
  start_.arbiter->boost = true;
  expect_no("arbiter", "protocol gcaps");
  start_.arbiter.reset();
  expect_no("arbiter", "there is no arbiter");
}

TEST_F(CoverOfProcesses, NeedsTheGpuPrioritiesOfThePlan) {
  start_.tasks[kLow].priority = 3;
  expect_no("gpu-priority", "low 3");
  start_.tasks[kLow].best_effort = true;
  expect_no("gpu-priority", "low best effort");
  start_.tasks[kLow].best_effort = false;
  start_.tasks[kLow].priority = 2;
  start_.tasks[kMapping].best_effort = false;
  expect_no("gpu-priority", "mapping");
  start_.tasks[kMapping].best_effort.reset();
  EXPECT_EQ(condition(judge(system_, plan_, start_), "gpu-priority").holds, Holds::kNotKnown);
}

TEST_F(CoverOfProcesses, NeedsProgramsThatMarkTheirSegments) {
  start_.tasks[kMapping].marks_segments = false;
  EXPECT_EQ(conclusion(judge(system_, plan_, start_)), Holds::kYes) << "best effort may be one";
  start_.tasks[kHigh].marks_segments = false;
  expect_no("segments", "high");
  start_.tasks[kHigh].marks_segments = start_.tasks[kLow].marks_segments = true;
  EXPECT_EQ(condition(judge(system_, plan_, start_), "segments").holds, Holds::kYes);
}

TEST_F(CoverOfProcesses, SaysWhichProcessesAreNotSeen) {
  start_.tasks[kMotor].there = false;
  const auto all = judge(system_, plan_, start_);
  EXPECT_EQ(condition(all, "started").holds, Holds::kNotKnown);
  EXPECT_EQ(conclusion(all), Holds::kNotKnown);
}

TEST_F(CoverOfProcesses, IsOfTheVariantThatRunsAndOfAProof) {
  Verdict other = plan_;
  other.variant = "safe";
  expect_only_no(system_, other, start_, "variant", "described by safe-arbiter");
  Verdict unproved = plan_;
  unproved.status = Status::kUnschedulable;
  expect_only_no(system_, unproved, start_, "proof", "does not prove");
}

TEST_F(CoverOfProcesses, NeedsWhatTheMachineGrants) {
  start_.machine = {{"throttling", "x", Holds::kNotKnown, "y", "z", Whose::kMachine}};
  EXPECT_EQ(conclusion(judge(system_, plan_, start_)), Holds::kNotKnown);
  start_.machine[0].holds = Holds::kNo;
  expect_no("throttling", "x");
}

TEST(Cover, OfABusyPlanLeavesTheWaitingToThePrograms) {
  const System system = robot();
  const Verdict plan = plan_of(system, "gcaps.busy", "safe-arbiter");
  Start start = usual_start(system, plan, Tier::kGate);
  EXPECT_EQ(condition(judge(system, plan, start), "waiting").holds, Holds::kNotKnown);
  start.own_programs = true;
  EXPECT_EQ(condition(judge(system, plan, start), "waiting").holds, Holds::kYes);
}

TEST(Cover, OfALockIsForProgramsThatHaveIt) {
  const System system = robot();
  const Verdict plan = plan_of(system, "fmlp.suspend", "safe");
  Start start = usual_start(system, plan, Tier::kGate);
  EXPECT_EQ(condition(judge(system, plan, start), "lock").holds, Holds::kNotKnown);
  start.own_programs = true;
  EXPECT_EQ(condition(judge(system, plan, start), "lock").holds, Holds::kYes);
}

// --- of a plan by itself

/// Without those that speak of releases, a file with these says the same as before.
TEST(CoverOfReleases, IsLeftToTheProgramsAndSaid) {
  System system = robot();
  const Verdict plan = gcaps_plan(system);
  const Start start = usual_start(system, plan, Tier::kGate);
  const std::size_t before = judge(system, plan, start).size();
  system.tasks[kHigh].jitter = Time::from_ms(2);
  system.tasks[kMapping].jitter = Time::from_ms(2);  // best effort promises nothing
  for (const char* name : {"loose", "see-steer"}) {
    Chain& chain = system.chains.emplace_back();
    chain.name = name;
    chain.tasks = {kHigh, kMotor};
  }
  system.chains.back().phases = Chain::Phases::kFixed;
  const auto all = judge(system, plan, start);
  EXPECT_EQ(all.size(), before + 2);
  for (const char* id : {"jitter", "phases"}) {
    EXPECT_EQ(condition(all, id).holds, Holds::kNotKnown);
    EXPECT_EQ(condition(all, id).whose, Whose::kProgram);
  }
  EXPECT_EQ(condition(all, "jitter").what, "that jobs of these are released in time: high");
  EXPECT_EQ(condition(all, "phases").what,
            "that the tasks of these chains keep their offsets: see-steer");
}

TEST(CoverOfReleases, IsSeenToByTactusItself) {
  System system = robot();
  const Verdict plan = gcaps_plan(system);
  Start start = usual_start(system, plan, Tier::kGate);
  start.own_programs = true;
  system.tasks[kMotor].after = kHigh;
  system.tasks[kMotor].jitter = Time::from_ms(1);
  Chain& chain = system.chains.emplace_back();
  chain.name = "see-steer";
  chain.tasks = {kHigh, kMotor};
  chain.phases = Chain::Phases::kFixed;
  const auto all = judge(system, plan, start);
  for (const char* id : {"after", "jitter", "phases"})
    EXPECT_EQ(condition(all, id).holds, Holds::kYes) << id;
}

TEST(CoverOfReleases, AsksWhetherATaskIsToldWhomItFollows) {
  System system = robot();
  const Verdict plan = gcaps_plan(system);
  Start start = usual_start(system, plan, Tier::kGate);
  system.tasks[kMotor].after = kHigh;
  const auto after = [&] { return condition(judge(system, plan, start), "after"); };
  EXPECT_EQ(after().holds, Holds::kNotKnown);  // nobody has said how it is started
  EXPECT_EQ(after().whose, Whose::kProgram);
  start.tasks[kMotor].after = system.name + "/high";
  EXPECT_EQ(after().holds, Holds::kNotKnown);  // that it waits for it is left to the program
  for (const char* wrong : {"", "other/high", "high"}) {
    start.tasks[kMotor].after = wrong;
    EXPECT_EQ(after().holds, Holds::kNo) << wrong;
    EXPECT_EQ(after().whose, Whose::kStart);
  }
}

TEST(CoverOfAPlan, IsTheFirstTierThatDoes) {
  const auto tier = [](const System& system) {
    const auto cover = cover_of(system, boost_plan(system));
    EXPECT_EQ(conclusion(cover->conditions), Holds::kYes);
    return cover->tier;
  };
  EXPECT_EQ(tier(robot(R"(, "preempt_cost": 40, "resume_cost": 0.1)", kProtected)), Tier::kHold);
  EXPECT_EQ(tier(robot(R"(, "preempt_cost": 40, "resume_cost": 0.1)", kPreemptable)),
            Tier::kChannel);
  EXPECT_EQ(tier(robot(R"(, "preempt_cost": 39, "resume_cost": 0.1)", kProtected)), Tier::kChannel);
}

TEST(CoverOfAPlan, SaysWhatIsInTheWayWhereNoTierDoes) {
  const System system = robot();
  const auto cover = cover_of(system, gcaps_plan(system));
  EXPECT_EQ(cover->tier, Tier::kGate);
  EXPECT_EQ(condition(cover->conditions, "leaves").holds, Holds::kNo);
  Verdict paper = gcaps_plan(system);
  paper.variant = "paper";
  EXPECT_FALSE(cover_of(system, paper));
}

TEST(CoverOfAPlan, OfSharesIsLeftToYourKernels) {
  const System system = support::read_file("examples/robot.system.json");
  const auto cover = cover_of(system, plan_of(system, "gang.wc", "safe"));
  ASSERT_TRUE(cover);
  EXPECT_EQ(condition(cover->conditions, "own-kernels").holds, Holds::kNotKnown);
  EXPECT_EQ(conclusion(cover->conditions), Holds::kYes);
}

// --- `tactus run`

TEST(CoverOfARun, KnowsWhereTasksAreAndHowLongTheyTakeToLeave) {
  System system = robot(R"(, "preemption_delay": 1)");
  const Verdict plan = gcaps_plan(system);
  arbiter::tasks::TaskRunOptions options;
  options.tier = Tier::kGate;
  arbiter::tasks::Placement placement;
  placement.cpus = {0, 1, 2, 3};
  placement.pinned = placement.real_time = true;
  const auto judged = [&] { return judge(system, plan, start_of_run(system, options, placement)); };
  EXPECT_EQ(condition(judged(), "leaves").holds, Holds::kYes) << "slices of 0.2 ms";
  EXPECT_EQ(condition(judged(), "real-gpu").holds, Holds::kNo);
  EXPECT_EQ(condition(judged(), "cores").holds, Holds::kYes);
  EXPECT_EQ(condition(judged(), "cpu-order").holds, Holds::kYes);
  EXPECT_EQ(condition(judged(), "arbiter-core").holds, Holds::kYes);
  options.backend = arbiter::tasks::Backend::kCuda;
  EXPECT_EQ(condition(judged(), "leaves").holds, Holds::kNo) << "one launch is a whole segment";
  options.tier = Tier::kYield;
  EXPECT_EQ(conclusion(judged()), Holds::kYes);
  placement.real_time = false;
  EXPECT_EQ(condition(judged(), "cpu-order").holds, Holds::kNo);
  EXPECT_EQ(condition(judged(), "arbiter-core").holds, Holds::kNo);
  placement.pinned = false;
  EXPECT_EQ(condition(judged(), "cores").holds, Holds::kNo);
}

// --- where conditions come from, and what none of them covers

std::string plain(std::string text) {
  text = std::regex_replace(text, std::regex(R"(\*\*)"), "");
  return std::regex_replace(text, std::regex(R"(\s+)"), " ");
}

TEST(Cover, NamesASentenceThatStandsOnItsPage) {
  std::vector<Condition> all;
  const auto add = [&](const System& system, const Verdict& plan) {
    for (Condition& one : judge(system, plan, usual_start(system, plan, Tier::kGate)))
      all.push_back(std::move(one));
  };
  const System system = robot(R"(, "preempt_cost": 40, "resume_cost": 0.1)", kPreemptable);
  add(system, boost_plan(system));
  add(robot(), plan_of(robot(), "gcaps.busy", "safe-arbiter"));
  add(robot(), plan_of(robot(), "fmlp.suspend", "safe"));
  add(copying(), gcaps_plan(copying()));
  const System shares = support::read_file("examples/robot.system.json");
  add(shares, plan_of(shares, "gang.wc", "safe"));
  for (const Condition& one : all) {
    const std::size_t colon = one.from.find(": ");
    ASSERT_NE(colon, std::string::npos) << one.from;
    const auto page = read_text_file(support::source_path("docs/use/" + one.from.substr(0, colon)));
    ASSERT_TRUE(page) << one.from;
    EXPECT_NE(plain(*page).find(plain(one.from.substr(colon + 2))), std::string::npos) << one.from;
  }
  EXPECT_GT(all.size(), 20U);
}

TEST(NotCovered, NamesTimesThatWereNotMeasuredBesideAnEnemyOrHaveNoMargin) {
  System system = robot();
  const auto said = [&] { return not_covered(system); };
  ASSERT_EQ(said().size(), 3U);
  EXPECT_EQ(said()[0], "memory contention (5 of 5 times were not measured beside an enemy)");
  EXPECT_EQ(said()[1], "interrupts and the kernel's own work");
  EXPECT_EQ(said()[2], "longer times than those of the file (5 of 5 have no margin)");
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      Measured measured;
      measured.enemy = "memory";
      measured.margin = Margin{1};
      node.measured = measured;
    }
  }
  EXPECT_EQ(said(), (std::vector<std::string>{"interrupts and the kernel's own work"}));
  system.tasks[0].nodes[0].measured->enemy.reset();
  system.tasks[0].nodes[0].measured->margin.reset();
  EXPECT_EQ(said()[0], "memory contention (1 of 5 times were not measured beside an enemy)");
}

}  // namespace
}  // namespace tactus::decide
