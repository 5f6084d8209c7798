#include "tactus/decide/advise.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/decide/remedy.hpp"
#include "tactus/decide/shares.hpp"
#include "tactus/decide/slack.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/deploy.hpp"
#include "tactus/methods/plan_file.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tests/support/read.hpp"

namespace tactus::decide {
namespace {

System forklift() { return support::read_file("examples/forklift.system.json"); }

Wish all_methods() {
  Wish wish;
  wish.methods.assign(registry().begin(), registry().end());
  return wish;
}

/// With cores and GPU priorities left open.
Advice advise_forklift_under_tactusd() {
  Wish wish = all_methods();
  wish.target = Target::kTactusd;
  wish.open.cores = wish.open.gpu_priorities = true;
  return advise(forklift(), wish);
}

std::int64_t factor_of(const Method& method, const System& system, std::string_view variant) {
  Options options;
  options.variant = variant;
  return Judge(method, options).further(system, kNoFactor).value_or(kNoFactor);
}

TEST(Advise, AsksNoMoreOfAMachineOfManyCoresThanOfOneWithEnough) {
  System enough = forklift(), many = forklift();
  const auto with = [](System& system, std::int64_t cores) {
    for (Element& element : system.platform.elements) {
      if (element.kind == ElementKind::kCpu) element.units = cores;
    }
    Wish wish;
    wish.methods = {find_method("gcaps.suspend")};
    wish.target = Target::kTactusd;
    wish.open.cores = true;
    return advise(system, wish);
  };
  const Advice a = with(enough, 40), b = with(many, 2'000'000'000);
  EXPECT_TRUE(a.found());
  EXPECT_TRUE(b.found());
  EXPECT_EQ(a.analyses, b.analyses);
}

/// Every assignment of five tasks to three cores, one by one, without any of the search's cleverness;
/// the fourth core is the arbiter's, and the logger may be anywhere.
TEST(Advise, FindsForTheForkliftWhatBruteForceFindsOrBetter) {
  System system = forklift();
  int proved = 0;
  std::int64_t best = kNoFactor;
  int by_assigned_priorities = 0;
  for (int code = 0; code < 243; ++code) {
    System assigned = system;
    int rest = code;
    for (std::size_t t = 0; t < 5; ++t, rest /= 3) assigned.tasks[t].core = 1 + rest % 3;
    assigned.tasks[5].core = 1;
    bool any = false;
    for (const char* id :
         {"gcaps.suspend", "gcaps.busy", "gcaps.suspend.prio", "gcaps.busy.prio"}) {
      Options options;
      options.variant = "safe-arbiter";
      if (analyze(*find_method(id), assigned, options).status != Status::kSchedulable) continue;
      any = true;
      by_assigned_priorities += std::string_view(id) == "gcaps.busy.prio" ? 1 : 0;
      best = std::max(best, factor_of(*find_method(id), assigned, "safe-arbiter"));
    }
    proved += any ? 1 : 0;
  }
  EXPECT_EQ(proved, 6);
  EXPECT_EQ(by_assigned_priorities, 6);

  Wish wish = all_methods();
  wish.target = Target::kTactusd;
  wish.open = left_open(system);
  wish.open.cores = true;
  const Advice advice = advise(system, wish);
  ASSERT_TRUE(advice.found());
  EXPECT_TRUE(advice.exhaustive);
  EXPECT_GE(advice.options.front().factor, best);
}

TEST(Advise, WritesDownAllThatIsNeededToRunIt) {
  const Advice advice = advise_forklift_under_tactusd();
  ASSERT_TRUE(advice.found());
  const Option& best = advice.options.front();
  // What is written can be read, names what to deploy, and is proved by it.
  const System back = support::read(write_system(best.system));
  const auto deployed = std::get<std::optional<Deployed>>(deployed_by(back));
  ASSERT_TRUE(deployed);
  EXPECT_EQ(deployed->method, best.method);
  Options options;
  options.variant = deployed->variant;
  const Verdict verdict = analyze(*deployed->method, back, options);
  EXPECT_EQ(verdict.status, Status::kSchedulable);
  for (const std::string& warning : verdict.warnings) {
    EXPECT_EQ(warning.find("arbiter"), std::string::npos) << warning;
  }
  ASSERT_TRUE(best.verdict.plan);
  // And no task is on the arbiter's core.
  ASSERT_TRUE(best.arbiter_core);
  for (const Task& task : back.tasks) EXPECT_NE(task.core, best.arbiter_core) << task.name;
}

TEST(Advise, PrefersGatesWhereTheyLeaveMoreRoomAndWritesThresholdsDown) {
  const Advice advice = advise_forklift_under_tactusd();
  ASSERT_TRUE(advice.found());
  const Option& best = advice.options.front();
  ASSERT_TRUE(best.method->id.starts_with("gcaps.boost.")) << best.method->id;
  std::int64_t rival = kNoFactor;
  for (const Option& option : advice.options) {
    if (!option.method->id.starts_with("gcaps.boost.")) rival = std::max(rival, option.factor);
  }
  EXPECT_GT(best.factor, rival);
  bool thresholds = false;
  for (const Task& task : best.system.tasks) {
    for (const Node& node : task.nodes) thresholds = thresholds || node.gpu_threshold.has_value();
  }
  EXPECT_TRUE(thresholds) << "those that the factor is of";
  EXPECT_EQ(factor_of(*best.method, best.system, kSafe), best.factor);
}

TEST(Advise, IsNeverWorseThanTheBestMethodOnTheFileItself) {
  for (const char* name :
       {"forklift", "robot", "deploy", "gcaps-table4", "dag-example", "pbs-drone"}) {
    const System system = support::read_file(std::string("examples/") + name + ".system.json");
    std::int64_t best = kNoFactor;
    bool proved = false;
    for (const Method* method : registry()) {
      const auto deployment = deployment_of(*method);
      if (!deployment || deployment->way == Way::kArbiter) continue;  // may need another core
      best = std::max(best, factor_of(*method, system, deployment->variant));
      Options options;
      options.variant = deployment->variant;
      proved = proved || analyze(*method, system, options).status == Status::kSchedulable;
    }
    for (const bool cores : {false, true}) {
      Wish wish = all_methods();
      wish.open = left_open(system);
      wish.open.cores = cores;
      const Advice advice = advise(system, wish);
      const std::int64_t advised =
          advice.options.empty() ? kNoFactor : advice.options.front().factor;
      EXPECT_GE(advised, best) << name << (cores ? " with cores open" : "");
      EXPECT_TRUE(advice.found() || !proved) << name;
    }
  }
}

TEST(Advise, DependsOnTheSeedAloneAndNotOnThreads) {
  const System system = forklift();
  Wish wish = all_methods();
  wish.open = left_open(system);
  wish.open.cores = wish.open.priorities = true;
  wish.effort.most_listed = 100;  // so that it climbs
  wish.effort.restarts = 4;
  wish.effort.most_analyses = 300;
  const Advice alone = advise(system, wish);
  wish.threads = 3;
  const Advice shared = advise(system, wish);
  EXPECT_FALSE(alone.exhaustive);
  ASSERT_EQ(alone.options.size(), shared.options.size());
  for (std::size_t k = 0; k < alone.options.size(); ++k) {
    EXPECT_EQ(alone.options[k].method, shared.options[k].method);
    EXPECT_EQ(alone.options[k].factor, shared.options[k].factor);
    EXPECT_EQ(alone.options[k].system, shared.options[k].system);
  }
}

TEST(Advise, ByClimbingFindsWhatIsProvedToo) {
  const System system = forklift();
  Wish wish = all_methods();
  wish.target = Target::kTactusd;
  wish.open = left_open(system);
  wish.open.cores = true;
  wish.effort.most_listed = 0;
  const Advice advice = advise(system, wish);
  EXPECT_FALSE(advice.exhaustive);
  EXPECT_TRUE(advice.found());
}

TEST(Advise, KeepsTheBestSoFarWhenItIsStopped) {
  std::stop_source stop;
  Wish wish = all_methods();
  const System system = forklift();
  wish.open = left_open(system);
  wish.open.cores = true;
  wish.stop = stop.get_token();
  wish.progress = [&](std::string_view) { stop.request_stop(); };
  const Advice advice = advise(system, wish);
  EXPECT_TRUE(advice.stopped);
  EXPECT_FALSE(advice.options.empty());
}

TEST(Advise, LeavesOutWhatCannotBeRunAndSaysWhy) {
  const System system = forklift();
  Wish wish = all_methods();  // all four cores are taken: none is left for tactusd
  const Advice advice = advise(system, wish);
  bool told = false;
  for (const LeftOut& left : advice.left_out) {
    told = told || (left.method->id == "gcaps.suspend" &&
                    left.why.find("no core is free of tasks") != std::string::npos);
  }
  EXPECT_TRUE(told);
  for (const Option& option : advice.options) EXPECT_NE(option.deployment.way, Way::kArbiter);
}

TEST(Advise, FindsTheFewestSms) {
  const System system = support::read_file("examples/robot.system.json");
  Wish wish = all_methods();
  wish.methods = {find_method("gcaps.suspend")};
  wish.open.cores = true;
  wish.goal = Goal::kSms;
  const Advice advice = advise(system, wish);
  ASSERT_TRUE(advice.found());
  const Option& best = advice.options.front();
  EXPECT_LT(best.sms, 16);
  EXPECT_TRUE(check_system(best.system).system);
}

TEST(Advise, CountsTheSmsThatAPlanUses) {
  std::string tasks;
  for (const char* name : {"a", "b", "c"}) {
    tasks += fmt::format(R"({}{{"name":"{}","period":10,"nodes":[{{"name":"net","on":"gpu",
        "times":[{{"units":8,"wcet":3}},{{"units":16,"wcet":2}}]}}]}})",
                         tasks.empty() ? "" : ",", name);
  }
  const System system = support::read(
      R"({"tactus":1,"name":"nets","platform":{"elements":[{"name":"gpu","kind":"gpu","units":64}]},
          "tasks":[)" +
      tasks + "]}");
  Wish wish = all_methods();
  wish.target = Target::kPartitions;
  wish.goal = Goal::kSms;
  const Advice advice = advise(system, wish);
  ASSERT_TRUE(advice.found());
  EXPECT_EQ(advice.options.front().sms, 24);
}

TEST(Remedies, AreChangesThatDoAndTheSmallestComesFirst) {
  System system = forklift();
  system.tasks[0].nodes[2].wcet = Time::from_ms(20);  // the detector
  Wish wish = all_methods();
  wish.target = Target::kTactusd;
  wish.open = left_open(system);
  wish.open.cores = true;
  const Advice advice = advise(system, wish);
  ASSERT_FALSE(advice.found());
  const auto found = remedies(system, wish, advice, 5).smallest;
  ASSERT_FALSE(found.empty());
  std::int64_t before = 0;
  for (const Remedy& remedy : found) {
    Options options;
    options.variant = deployment_of(*remedy.method)->variant;
    EXPECT_EQ(analyze(*remedy.method, turned(remedy.system, remedy.reach.knob, *remedy.reach.holds),
                      options)
                  .status,
              Status::kSchedulable)
        << name_of(remedy.reach.knob, remedy.system);
    EXPECT_GE(remedy.permille, before);
    before = remedy.permille;
  }
}

/// What is told to be enough is enough for the same search, and a little less is not.
TEST(Remedies, AreTheRealThresholdsOfTheSameSearch) {
  System system = support::read_file("tests/data/decide/warehouse.system.json");
  system.tasks[2].nodes[0].wcet = Time::from_ms(28);  // the detector of persons
  Wish wish;
  wish.methods = {find_method("gcaps.boost.suspend")};
  wish.open = left_open(system);
  wish.effort.restarts = 4;
  wish.effort.most_analyses = 1000;
  const Advice advice = advise(system, wish);
  ASSERT_FALSE(advice.found());
  const auto found = remedies(system, wish, advice, 1).smallest;
  ASSERT_FALSE(found.empty());
  const auto person = std::find_if(found.begin(), found.end(), [&](const Remedy& remedy) {
    return name_of(remedy.reach.knob, system) == "person.detect.wcet";
  });
  ASSERT_NE(person, found.end());
  // Another order of the tasks is best there than with 28 ms, with which 14.4 ms would be needed.
  EXPECT_GT(*person->reach.holds, Time::from_us(15'850).ns());
  for (const Remedy& remedy : found) {
    const Knob& knob = remedy.reach.knob;
    const std::int64_t now = value_of(knob, system), value = *remedy.reach.holds;
    EXPECT_TRUE(advise(turned(system, knob, value), wish).found()) << name_of(knob, system);
    const std::int64_t step = now / 1000 * kNearEnough;
    const std::int64_t nearer = value < now ? value + step : value - step;
    if (std::abs(now - value) <= step) continue;
    EXPECT_FALSE(advise(turned(system, knob, nearer), wish).found()) << name_of(knob, system);
  }
}

/// The nearest options need not be those that a change helps most.
TEST(Remedies, AreLookedForUnderEveryMethod) {
  const Recipe* recipe = find_recipe("gcaps-small");
  ASSERT_NE(recipe, nullptr);
  Wish wish;
  for (const char* id : {"gcaps.boost.suspend", "gcaps.busy", "gcaps.suspend", "mpcp.suspend",
                         "mpcp.busy", "fmlp.suspend", "fmlp.busy"}) {
    wish.methods.push_back(find_method(id));
  }
  int others = 0;
  for (std::uint64_t index = 0; index < 500 && others == 0; ++index) {
    const System system = *generate(*recipe, Settings(recipe->parameters, {}), 3, index);
    const Advice advice = advise(system, wish);  // next to nothing is open
    if (advice.found() || advice.options.size() < 3) continue;
    for (const Remedy& remedy : remedies(system, wish, advice, 5).smallest) {
      const bool near =
          remedy.method == advice.options[0].method || remedy.method == advice.options[1].method;
      others += near ? 0 : 1;
    }
  }
  EXPECT_GT(others, 0);
}

TEST(Space, ListsEachAssignmentOnceUpToTheNamesOfCores) {
  System system = forklift();
  Open open;
  open.cores = true;
  // Six tasks on three cores: 1 + 31 + 90 partitions into at most three parts.
  EXPECT_EQ(Space(system, open, 4).all(1000)->size(), 122U);
  // One task fixed on core 2: five tasks may join it, or take one of two cores that are alike.
  open.cores = false;
  for (TaskIndex t = 1; t < 6; ++t) system.tasks[t].core.reset();
  system.tasks[0].core = 2;
  EXPECT_EQ(Space(system, open, 4).all(1000)->size(), 122U);
  EXPECT_FALSE(Space(system, open, 4).all(100));
}

TEST(Space, NamesCoresAsTheFileDoes) {
  const System system = forklift();
  Open open;
  open.cores = true;
  const Space space(system, open, std::nullopt);
  Candidate candidate = space.start();
  const Candidate file = candidate;
  for (std::int64_t& core : candidate.cores) core = core % 4 + 1;  // the same, by other names
  EXPECT_EQ(space.renamed(candidate), file);
  EXPECT_EQ(space.system(file), system);
}

TEST(Advise, DividesTheSmsSoThatTheDivisionNeedNotChangeWhenTimesGrow) {
  const System system = support::read_file("examples/rtgpu-perception.system.json");
  Wish wish;
  wish.methods = {find_method("rtgpu")};
  EXPECT_FALSE(why_no_shares(system, wish));
  const Advice advice = advise(system, wish);
  ASSERT_TRUE(advice.found());
  const Option& best = advice.options.front();
  ASSERT_FALSE(best.shares.empty());
  const Options kept = with_shares({}, best.shares);
  const Knob all = {.what = Knob::What::kAllTimes};
  const auto status = [&](const Options& options, std::int64_t permille) {
    return analyze(*best.method, turned(system, all, permille), options).status;
  };
  EXPECT_EQ(status(kept, kAsInFile), Status::kSchedulable);
  EXPECT_EQ(status(kept, best.factor), Status::kSchedulable);
  EXPECT_EQ(status(kept, best.factor + 1), Status::kUnschedulable);
  // The method's own division, which is the first that does, leaves less room.
  const Verdict first = analyze(*best.method, system, {});
  const auto* plan = dynamic_cast<const rtgpu::AllocationPlan*>(first.plan.get());
  ASSERT_NE(plan, nullptr);
  std::string own;
  for (const auto& entry : plan->entries) {
    own +=
        (own.empty() ? "" : ",") + system.tasks[entry.task].name + "=" + std::to_string(entry.sms);
  }
  EXPECT_LE(Judge(*best.method, with_shares({}, own)).further(system, kNoFactor).value_or(0),
            best.factor);
}

TEST(Advise, SaysWhyNoSharesCanBeSearched) {
  Wish wish = all_methods();
  const auto why = why_no_shares(forklift(), wish);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("does not apply"), std::string::npos) << *why;
  wish.target = Target::kTactusd;
  EXPECT_EQ(why_no_shares(support::read_file("examples/rtgpu-perception.system.json"), wish),
            "no method that may be used divides the SMs");
}

/// Two kernels that need a whole SM each, on a GPU with one.
TEST(Advise, SaysThatOneMoreSmWouldDo) {
  const System system = support::read(R"({"tactus":1,"name":"x","time_unit":"ms","platform":{
      "elements":[{"name":"cpu","kind":"cpu","units":2},{"name":"gpu","kind":"gpu","units":1}]},
      "tasks":[{"name":"a","period":10,"priority":2,"core":1,
                "nodes":[{"name":"k","on":"gpu","load":4}]},
               {"name":"b","period":10,"priority":1,"core":2,
                "nodes":[{"name":"k","on":"gpu","load":4}]}]})");
  Wish wish;
  wish.methods = {find_method("rtgpu")};
  const Advice advice = advise(system, wish);
  ASSERT_FALSE(advice.found());
  const auto more = with_one_more(system, wish, ElementKind::kGpu);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->options.front().sms, 2);
  EXPECT_FALSE(with_one_more(system, wish, ElementKind::kCpu)) << "the tasks say where they are";
}

}  // namespace
}  // namespace tactus::decide
