#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tactus/methods/gcaps/copies.hpp"
#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/hunt.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/methods/gcaps/boost/naive.hpp"
#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/support.hpp"
#include "tests/simulate/mutated_boost.hpp"
#include "tests/support/scaled.hpp"

/// Copies that nobody takes off: what they do to the bounds of the GCAPS family, in simulation; and
/// that the search would find a bound that forgets them.
namespace tactus::simulate {
namespace {

using gcaps::boost::naive::Forget;
using gcaps::naive::Row;
using gcaps::tests::ms;

trace::Observed simulated(const System& system, std::string_view method, std::string_view variant,
                          std::string_view scenario = "offsets,worst,fifo") {
  Options options;
  options.variant = variant;
  const Verdict verdict = analyze(*find_method(method), system, options);
  const auto policy = find_policy(method)->make(system, verdict);
  EXPECT_TRUE(policy);
  Until until;
  until.jobs = 10;
  until.audit = true;
  trace::Observed seen = run(system, **policy, *trace::parse_scenario(scenario, 1), until);
  EXPECT_EQ(seen.broken_rule, "");
  return seen;
}

std::optional<Time> bound_of(const System& system, std::string_view method,
                             std::string_view variant, TaskIndex task) {
  Options options;
  options.variant = variant;
  for (const TaskVerdict& one : analyze(*find_method(method), system, options).tasks) {
    if (one.task != task || !one.bound) continue;
    // Without the nanosecond of a piece that takes no time.
    return one.bound->ns() % 1000 == 1 ? *one.bound - Time::from_ns(1) : *one.bound;
  }
  return std::nullopt;
}

Time blocking_of(const System& system, std::string_view method, TaskIndex task) {
  const Verdict verdict = analyze(*find_method(method), system);
  for (const TaskVerdict& one : verdict.tasks) {
    for (const Term& term : one.terms) {
      if (one.task == task && term.label == "copy blocking") return term.amount;
    }
  }
  return Time();
}

/// The bound of an analysis that forgets something.
Time without(Row row, const System& system, std::string_view method, const std::string& task) {
  return Time::from_ns(*gcaps::naive::analyze(system, method, "safe", row).bounds.at(task));
}

/// `stereo` copies for 0.8 ms, `mapping`, which is best effort, for 25 ms, on the only engine.
System robot() { return support::read_file("tests/data/copies/copy-blocking.system.json"); }

TEST(Copies, OfABestEffortTaskOnTheOnlyEngineAreBlocking) {
  // Without them the bound of `stereo` was 16.2 ms.
  System system = robot();
  for (const std::string_view method :
       {"gcaps.boost.suspend", "gcaps.boost.busy", "gcaps.suspend", "gcaps.busy"}) {
    EXPECT_EQ(blocking_of(system, method, 0), ms(25)) << method;
    EXPECT_EQ(bound_of(system, method, "safe", 0), std::nullopt) << method << " beyond 33.333";
    const Time seen = simulated(system, method, "safe", "random,worst,fifo").tasks[0].longest;
    EXPECT_GT(seen, ms(16, 200)) << method;
  }
  system.tasks[0].period = system.tasks[0].deadline = ms(50);
  for (const std::string_view method : {"gcaps.boost.suspend", "gcaps.boost.busy"}) {
    const auto bound = bound_of(system, method, "safe", 0);
    ASSERT_TRUE(bound) << method;
    EXPECT_EQ(*bound, ms(41, 200)) << method;
    const Time seen = simulated(system, method, "safe", "random,worst,fifo").tasks[0].longest;
    EXPECT_GT(seen, ms(16, 200)) << method;
    EXPECT_LE(seen, *bound) << method;
  }
}

TEST(Copies, OnASharedEngineBlockNobody) {
  System system = robot();
  system.platform.elements[1].sharing = CopySharing::kShared;
  for (const std::string_view method : {"gcaps.boost.suspend", "gcaps.boost.busy"}) {
    EXPECT_EQ(bound_of(system, method, "safe", 0), ms(16, 200)) << method;
    const trace::Observed seen = simulated(system, method, "safe", "random,worst,fifo");
    EXPECT_LE(seen.tasks[0].longest, ms(16, 200)) << method;
    EXPECT_GT(seen.busy[1], Time()) << "the engine is not idle";
  }
}

/// a is above b and c; all copy on one engine.
System three(std::string_view sharing, std::int64_t units) {
  return support::read(fmt::format(
      R"({{"tactus":1,"platform":{{"elements":[{{"name":"cpu","kind":"cpu","units":3}},
      {{"name":"gpu","kind":"gpu","units":1,"runlist_update":0,"context_switch":0,"time_slice":1}},
      {{"name":"copy","kind":"copy","units":{},"sharing":"{}"}}]}},"tasks":[
      {{"name":"a","period":100,"priority":3,"core":1,"offset":2,"nodes":[
        {{"name":"c","on":"copy","wcet":1}},{{"name":"k","on":"gpu","wcet":1}}]}},
      {{"name":"b","period":100,"priority":2,"core":2,"offset":1,"nodes":[
        {{"name":"c","on":"copy","wcet":5}},{{"name":"k","on":"gpu","wcet":1}}]}},
      {{"name":"c","period":100,"priority":1,"core":3,"offset":0,"nodes":[
        {{"name":"c","on":"copy","wcet":7}},{{"name":"k","on":"gpu","wcet":1}}]}}]}})",
      units, sharing));
}

TEST(Copies, OfSeveralLowerTasksAddUp) {
  // c copies from 0 to 7; b is put on at 1 and asks for the engine, and a at 2: both lower copies are
  // ahead of that of a, which ends at 13. The longest of them alone would allow 9.
  for (const std::string_view method :
       {"gcaps.boost.suspend", "gcaps.boost.busy", "gcaps.suspend", "gcaps.busy"}) {
    const System system = three("exclusive", 1);
    const trace::Observed seen = simulated(system, method, "safe");
    EXPECT_EQ(seen.tasks[0].longest, ms(12)) << method;
    EXPECT_EQ(bound_of(system, method, "safe", 0), ms(14)) << method;
    // With two units a waits only while both are busy; with three it never does.
    EXPECT_EQ(bound_of(three("exclusive", 2), method, "safe", 0), ms(7)) << method;
    EXPECT_LE(simulated(three("exclusive", 2), method, "safe").tasks[0].longest, ms(7)) << method;
    EXPECT_EQ(bound_of(three("exclusive", 3), method, "safe", 0), ms(2)) << method;
    EXPECT_EQ(bound_of(three("shared", 1), method, "safe", 0), ms(2)) << method;
  }
}

TEST(Copies, OfAnOwnerThatWaitForALowerOneKeepTheGpuFromOthers) {
  // h copies behind the best-effort x until 10, while i, which copies nothing, waits for the GPU.
  const System system = support::read(
      R"({"tactus":1,"platform":{"elements":[{"name":"cpu","kind":"cpu","units":3},
      {"name":"gpu","kind":"gpu","units":1,"runlist_update":0,"context_switch":0,"time_slice":1},
      {"name":"copy","kind":"copy","units":1}]},"tasks":[
      {"name":"h","period":100,"priority":2,"core":1,"offset":1,"nodes":[
        {"name":"c","on":"copy","wcet":1},{"name":"k","on":"gpu","wcet":1}]},
      {"name":"i","period":100,"priority":1,"core":2,"offset":2,"nodes":[
        {"name":"k","on":"gpu","wcet":1}]},
      {"name":"x","best_effort":true,"period":1000,"core":3,"nodes":[
        {"name":"c","on":"copy","wcet":10},{"name":"k","on":"gpu","wcet":1}]}]})");
  EXPECT_EQ(simulated(system, "gcaps.boost.suspend", "safe").tasks[1].longest, ms(11));
  EXPECT_EQ(bound_of(system, "gcaps.boost.suspend", "safe", 1), ms(13));
  for (const std::string_view method : {"gcaps.suspend", "gcaps.busy"}) {
    EXPECT_EQ(simulated(system, method, "safe").tasks[1].longest, ms(11)) << method;
    const auto bound = bound_of(system, method, "safe", 1);
    ASSERT_TRUE(bound) << method;
    EXPECT_GE(*bound, ms(11)) << method;
    EXPECT_LT(without(Row::kRemoteCopies, system, method, "i"), ms(11)) << method;
    EXPECT_LE(*bound, ms(13)) << method << ": no more than h's blocking, once";
  }
}

TEST(Copies, TakeNoTimeSlice) {
  // Between the kernels of a, b has a slice: a waits for one before each of them.
  const System system = support::read(
      R"({"tactus":1,"platform":{"elements":[{"name":"cpu","kind":"cpu","units":2},
      {"name":"gpu","kind":"gpu","units":1,"context_switch":0,"time_slice":10},
      {"name":"copy","kind":"copy","units":1}]},"tasks":[
      {"name":"a","period":100,"priority":2,"core":1,"offset":1,"nodes":[
        {"name":"k","on":"gpu","wcet":1},{"name":"c","on":"copy","wcet":1},
        {"name":"l","on":"gpu","wcet":1}]},
      {"name":"b","period":100,"priority":1,"core":2,"nodes":[{"name":"k","on":"gpu","wcet":40}]}]})");
  const Time seen = simulated(system, "tsg-rr.suspend", "safe").tasks[0].longest;
  EXPECT_GT(seen, ms(13)) << "one slice of b for all of it is too little";
  EXPECT_LE(seen, *bound_of(system, "tsg-rr.suspend", "safe", 0));
  EXPECT_LT(without(Row::kSlicesAfterCopies, system, "tsg-rr.suspend", "a"), seen);
}

TEST(Copies, OnASharedEngineOfTasksWithSmsOfTheirOwnGoSideBySide) {
  const System system = support::read(
      R"({"tactus":1,"platform":{"elements":[{"name":"cpu","kind":"cpu","units":1},
      {"name":"gpu","kind":"gpu","units":2},{"name":"copy","kind":"copy","units":1,
       "sharing":"shared"}]},"tasks":[
      {"name":"a","period":20,"priority":2,"core":1,"nodes":[{"name":"c","on":"copy","wcet":2},
        {"name":"k","on":"gpu","wcet":1,"parallelism":1}]},
      {"name":"b","period":100,"priority":1,"core":1,"nodes":[{"name":"c","on":"copy","wcet":30},
        {"name":"k","on":"gpu","wcet":1,"parallelism":1}]}]})");
  const trace::Observed seen = simulated(system, "rtgpu", "safe", "sync,worst,fifo");
  EXPECT_EQ(seen.tasks[0].longest, ms(3));
  EXPECT_EQ(seen.tasks[1].longest, ms(31));
  EXPECT_GT(seen.busy[2], ms(30)) << "the engine is not idle";
  EXPECT_EQ(bound_of(system, "rtgpu", "safe", 0), ms(3));
  EXPECT_EQ(bound_of(system, "rtgpu", "safe", 1), ms(31));
}

Hunt among_copies(const Method& method, std::string_view variant, std::string_view recipe,
                  std::uint64_t systems) {
  Hunt hunt;
  hunt.method = &method;
  hunt.options.variant = variant;
  hunt.options.terms = false;
  hunt.recipe = find_recipe(recipe);
  hunt.settings = {{"copies", "1"}};
  hunt.systems = systems;
  hunt.runs = 10;
  hunt.jobs = 6;
  return hunt;
}

void expect_nothing(std::string_view method, std::string_view variant, std::string_view recipe) {
  const auto systems = static_cast<std::uint64_t>(support::scaled(300, 20));
  const Bag bag = hunt(among_copies(*find_method(method), variant, recipe, systems));
  EXPECT_EQ(bag.violations, 0U) << method << " " << variant;
  EXPECT_EQ(bag.broken_rule, "") << method << " " << variant;
  EXPECT_GT(bag.promised, systems / 10) << method << " " << variant;
}

TEST(Copies, ExceedNoSafeBound) {
  for (const std::string_view method :
       {"gcaps.suspend", "gcaps.busy", "gcaps.suspend.prio", "gcaps.busy.prio"}) {
    expect_nothing(method, "safe", "gcaps-small");
    expect_nothing(method, "safe-arbiter", "gcaps-small");
  }
  for (const std::string_view method : {"tsg-rr.suspend", "tsg-rr.busy", "mpcp.suspend",
                                        "mpcp.busy", "fmlp.suspend", "fmlp.busy"}) {
    expect_nothing(method, "safe", "gcaps-small");
  }
  for (const std::string_view method : {"gcaps.boost.suspend", "gcaps.boost.busy",
                                        "gcaps.boost.suspend.prio", "gcaps.boost.busy.prio"}) {
    expect_nothing(method, "safe", "boost-small");
  }
}

/// The bounds of the second version of the family, which forgets something.
template <Row kRow>
Verdict forgetful(const System& system, const Options& options, std::string_view method) {
  const auto answer = gcaps::naive::analyze(system, method, options.variant, kRow);
  Verdict verdict;
  verdict.status = answer.schedulable ? Status::kSchedulable : Status::kUnschedulable;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.best_effort) continue;
    TaskVerdict& own = verdict.tasks.emplace_back();
    own.task = i;
    own.deadline = task.deadline;
    if (const auto bound = answer.bounds.at(task.name)) own.bound = Time::from_ns(*bound);
  }
  verdict.hold_only_together = true;
  return verdict;
}

enum class Way { kGcapsSuspend, kGcapsBusy, kRoundRobinSuspend, kRoundRobinBusy };
constexpr std::string_view kWays[] = {"gcaps.suspend", "gcaps.busy", "tsg-rr.suspend",
                                      "tsg-rr.busy"};

template <Row kRow, Way kWay>
void expect_exceeded(std::string_view variant = "safe") {
  constexpr std::string_view id = kWays[static_cast<std::size_t>(kWay)];
  Method method = *find_method(id);
  method.decide = nullptr;
  method.analyze = [](const System& system, const Options& options) {
    // It reads wcet and priorities only.
    for (const Task& task : system.tasks) {
      if (!task.best_effort && !task.priority) return Verdict::not_applicable({"no priority", {}});
      for (const Node& node : task.nodes) {
        if (!node.wcet) return Verdict::not_applicable({"no wcet", {}});
      }
    }
    return forgetful<kRow>(system, options, kWays[static_cast<std::size_t>(kWay)]);
  };
  std::uint64_t found = 0;
  for (std::uint64_t seed = 1; seed <= 20 && found == 0; ++seed) {
    Hunt wanted = among_copies(method, variant, "gcaps-small", 300);
    wanted.seed = seed;
    found = hunt(wanted).violations;
  }
  EXPECT_GT(found, 0U) << id << " " << variant << ", row " << static_cast<int>(kRow);
}

TEST(Copies, AreExceededWhenARowOfTheirTableIsForgotten) {
  expect_exceeded<Row::kOwnCopies, Way::kGcapsSuspend>();
  expect_exceeded<Row::kOwnCopies, Way::kGcapsBusy>();
  expect_exceeded<Row::kOwnCopies, Way::kGcapsSuspend>("safe-arbiter");
  expect_exceeded<Row::kOwnCopies, Way::kGcapsBusy>("safe-arbiter");
  expect_exceeded<Row::kLocalSuspendCopies, Way::kGcapsSuspend>("safe-arbiter");
  expect_exceeded<Row::kLocalBusyCopies, Way::kGcapsBusy>("safe-arbiter");
  expect_exceeded<Row::kOwnCopies, Way::kRoundRobinSuspend>();
  expect_exceeded<Row::kLocalBusyCopies, Way::kRoundRobinBusy>();
  // Those of remote owners and of slices take more luck: see the tests of their examples.
}

template <Forget kForget, bool kBusy>
void expect_boost_exceeded() {
  const Method method = mutated<kForget, kBusy>();
  std::uint64_t found = 0;
  for (std::uint64_t seed = 1; seed <= 20 && found == 0; ++seed) {
    Hunt wanted = among_copies(method, "safe", "boost-small", 300);
    wanted.seed = seed;
    found = hunt(wanted).violations;
  }
  EXPECT_GT(found, 0U) << method.id << ", " << static_cast<int>(kForget);
}

TEST(Copies, OfBoostAreExceededWhenOneOfTheirTermsIsForgotten) {
  expect_boost_exceeded<Forget::kOwnCopies, false>();
  expect_boost_exceeded<Forget::kOwnCopies, true>();
  expect_boost_exceeded<Forget::kSourceCopies, false>();
  expect_boost_exceeded<Forget::kSourceCopies, true>();
  expect_boost_exceeded<Forget::kItemCopies, false>();
  expect_boost_exceeded<Forget::kLocalCopies, true>();
}

TEST(Copies, ArePartOfWhatTheSearchUsuallyTries) {
  // As they were before copies counted: the search with its own settings finds it.
  Hunt wanted = among_copies(*find_method("gcaps.suspend"), "paper", "gcaps-small", 400);
  wanted.settings = {};
  wanted.most_catches = 400;
  const Bag bag = hunt(wanted);
  const bool copies = std::any_of(bag.catches.begin(), bag.catches.end(), [](const Catch& one) {
    return std::any_of(one.system.platform.elements.begin(), one.system.platform.elements.end(),
                       [](const Element& e) { return e.kind == ElementKind::kCopy; });
  });
  EXPECT_TRUE(copies);
}

}  // namespace
}  // namespace tactus::simulate
