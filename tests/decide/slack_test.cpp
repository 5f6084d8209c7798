#include "tactus/decide/slack.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/decide/choose.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/model/reader.hpp"
#include "tests/support/read.hpp"

namespace tactus::decide {
namespace {

System forklift() { return support::read_file("examples/forklift.system.json"); }
System robot() { return support::read_file("examples/robot.system.json"); }

const Method& method(std::string_view id) { return *find_method(id); }

const Reach& reach_of(const Slack& slack, const System& system, std::string_view name) {
  for (const Reach& reach : slack.reaches) {
    if (name_of(reach.knob, system) == name) return reach;
  }
  throw std::runtime_error("no such knob");
}

std::string late(const Reach& reach, const System& system) {
  return reach.breaks.task ? system.tasks[*reach.breaks.task].name : "";
}

bool proves(const Method& by, const System& system) {
  return analyze(by, system).status == Status::kSchedulable;
}

TEST(Slack, OfTheForkliftsDetectorIsSmallAndThePlannerIsLateFirst) {
  const System system = forklift();
  Options options;
  for (const auto& [variant, microseconds] :
       {std::pair("safe", 9'535), std::pair("safe-arbiter", 10'035)}) {
    options.variant = variant;
    const Slack slack = slack_of(method("gcaps.suspend"), system, options);
    const Reach& detect = reach_of(slack, system, "camera.detect.wcet");
    EXPECT_TRUE(detect.exact);
    EXPECT_EQ(*detect.holds / 1000, microseconds) << variant;
    EXPECT_EQ(late(detect, system), "planner");
  }
}

/// The very value does, the next nanosecond does not: asked of the method itself.
TEST(Slack, IsExactToTheNanosecondAndToTheUnit) {
  for (const System& system : {forklift(), robot()}) {
    for (const char* id : {"gcaps.suspend", "gcaps.busy", "tsg-rr.suspend", "mpcp.busy"}) {
      const Slack slack = slack_of(method(id), system, {});
      for (const Reach& reach : slack.reaches) {
        if (!reach.exact || !reach.holds || !reach.fails) continue;
        EXPECT_EQ(std::abs(*reach.holds - *reach.fails), 1) << name_of(reach.knob, system);
        EXPECT_TRUE(proves(method(id), turned(system, reach.knob, *reach.holds)));
        EXPECT_FALSE(proves(method(id), turned(system, reach.knob, *reach.fails)));
      }
    }
  }
}

/// Against a search that knows nothing of monotony: small steps until it breaks.
TEST(Slack, IsWhatWalkingThereInSmallStepsFinds) {
  const System system = forklift();
  const Method& by = method("gcaps.suspend");
  const Slack slack = slack_of(by, system, {});
  for (const Reach& reach : slack.reaches) {
    if (!reach.fails || reach.now == 0 || !is_time(reach.knob)) continue;
    const std::int64_t step = std::max<std::int64_t>(1, std::abs(*reach.holds - reach.now) / 50);
    const std::int64_t way = grows_harder(reach.knob) ? step : -step;
    std::int64_t last = reach.now;
    while (proves(by, turned(system, reach.knob, last + way))) last += way;
    EXPECT_LE(std::abs(last - reach.now), std::abs(*reach.holds - reach.now));
    EXPECT_GT(std::abs(last + way - reach.now), std::abs(*reach.holds - reach.now))
        << name_of(reach.knob, system);
  }
}

TEST(Slack, OfAMethodWithoutAnOrderSaysWhatWasTried) {
  const System system = forklift();
  const Slack slack = slack_of(method("gcaps.suspend.prio"), system, {});
  const Reach& detect = reach_of(slack, system, "camera.detect.wcet");
  EXPECT_FALSE(detect.exact);
  ASSERT_TRUE(detect.holds && detect.fails);
  EXPECT_TRUE(proves(method("gcaps.suspend.prio"), turned(system, detect.knob, *detect.holds)));
  EXPECT_FALSE(proves(method("gcaps.suspend.prio"), turned(system, detect.knob, *detect.fails)));
}

TEST(Slack, OfAFileThatIsNotProvedIsWhatMustChange) {
  const System system = forklift();
  const Slack slack = slack_of(method("mpcp.suspend"), system, {});
  const Reach& all = slack.all_times();
  EXPECT_TRUE(all.needs_change);
  ASSERT_TRUE(all.holds);
  EXPECT_LT(*all.holds, kAsInFile);
  EXPECT_TRUE(proves(method("mpcp.suspend"), turned(system, all.knob, *all.holds)));
  EXPECT_FALSE(proves(method("mpcp.suspend"), turned(system, all.knob, *all.holds + 1)));
}

/// What nobody has, nobody can lack: the logger's kernel may take any time under gcaps.
TEST(Slack, HasNoEndWhereNothingBreaks) {
  const System system = forklift();
  const Slack slack = slack_of(method("gcaps.suspend"), system, {});
  EXPECT_FALSE(reach_of(slack, system, "logger.compress.wcet").fails);
}

TEST(Slack, DoesNotReorderPrioritiesThatFollowFromDeadlines) {
  System system = forklift();
  for (Task& task : system.tasks) task.priority.reset();
  const Prober prober(method("gcaps.suspend"), system, {});
  for (const Task& task : prober.system().tasks) {
    EXPECT_EQ(task.priority.has_value(), !task.best_effort) << task.name;
  }
}

TEST(Slack, OfUnitsIsOnlyToldWhereTheTimesOnFewerAreKnown) {
  const Slack unknown = slack_of(method("gcaps.suspend"), forklift(), {});
  ASSERT_EQ(unknown.left_out.size(), 1U);
  EXPECT_NE(unknown.left_out[0].find("gpu.units: camera.detect gives its time with all 16 units"),
            std::string::npos);
  const System system = robot();
  const Slack slack = slack_of(method("gcaps.suspend"), system, {});
  const Reach& units = reach_of(slack, system, "gpu.units");
  EXPECT_TRUE(units.exact);
  ASSERT_TRUE(units.holds);
  EXPECT_LT(*units.holds, 16);
}

TEST(Turned, KeepsTheRulesOfTheFile) {
  for (const char* name :
       {"forklift", "robot", "pbs-drone", "rtgpu-perception", "gang-shares", "dag-example"}) {
    const System system = support::read_file(std::string("examples/") + name + ".system.json");
    for (const Knob& knob : knobs_of(system)) {
      const Range range = range_of(knob, system);
      const std::int64_t now = value_of(knob, system);
      for (std::int64_t value : {range.easiest, (range.easiest + now) / 2, now,
                                 (now + range.hardest) / 2, range.hardest}) {
        if ((knob.what == Knob::What::kPeriod || knob.what == Knob::What::kDeadline) && value == 0)
          continue;
        const ReadResult checked = check_system(turned(system, knob, value));
        for (const Diagnostic& problem : checked.diagnostics) {
          if (problem.severity == Severity::kWarning) continue;  // a period of 1 ns is allowed
          ADD_FAILURE() << name << ": " << name_of(knob, system) << " = " << value << ": "
                        << problem.message;
        }
      }
    }
  }
}

TEST(Turned, ToTheFilesOwnValueChangesNothing) {
  const System system = robot();
  for (const Knob& knob : knobs_of(system)) {
    EXPECT_EQ(turned(system, knob, value_of(knob, system)), system) << name_of(knob, system);
  }
}

TEST(Growth, NamesTheTightestNodeOfEachTask) {
  const System system = forklift();
  const auto growth = growth_of(method("gcaps.suspend"), system, {});
  const auto camera =
      std::find_if(growth.begin(), growth.end(), [](const Growth& each) { return each.task == 0; });
  ASSERT_NE(camera, growth.end());
  EXPECT_EQ(system.tasks[0].nodes[camera->node].name, "detect");
  EXPECT_EQ(camera->permille, 59);
  EXPECT_TRUE(growth_of(method("gcaps.suspend.prio"), system, {}).empty()) << "not known";
}

TEST(ChooseMethod, TakesWhatTheFileDeploysElseWhatLeavesMostRoom) {
  System system = forklift();
  const auto free = choose_method(system, {}, Variants::kAlsoDeployable);
  ASSERT_TRUE(free && *free);
  for (const char* id : {"gcaps.suspend", "gcaps.busy"}) {
    EXPECT_GE(*scaling_of(*(*free)->method, system, {}).holds,
              *scaling_of(method(id), system, {}).holds);
  }
  system.deploy = Deploy{"gcaps.busy", "safe-arbiter", {}};
  const auto deployed = choose_method(system, {}, Variants::kAlsoDeployable);
  EXPECT_EQ((*deployed)->method->id, "gcaps.busy");
  EXPECT_EQ((*deployed)->variant, "safe-arbiter");
  system.deploy = Deploy{"gcaps.buzy", {}, {}};
  EXPECT_FALSE(choose_method(system, {}, Variants::kAlsoDeployable));
}

/// What is told of `X.load` is of all that describes the node; `--set X.load=` changes one number.
TEST(Slack, TellsWhatGoesWithAValueAndNotWithSet) {
  System system = support::read(R"({"tactus": 1, "name": "curves", "platform": {"elements": [
      {"name": "cpu", "kind": "cpu", "units": 1}, {"name": "gpu", "kind": "gpu", "units": 8}]},
    "tasks": [
      {"name": "a", "period": 50, "core": 1, "nodes": [{"name": "plain", "on": "cpu", "wcet": 1},
        {"name": "mall", "on": "gpu", "load": 8, "overhead": 1}]},
      {"name": "b", "period": 90, "core": 1, "nodes": [{"name": "curve", "on": "gpu",
        "times": [{"units": 2, "wcet": 9}, {"units": 4, "wcet": 5}]}]}]})");
  const Slack slack = slack_of(method("rtgpu"), system, {});
  EXPECT_EQ(slack.notes,
            (std::vector<std::string>{
                "a.mall.load here stands for the time of the node: `overhead` goes with it; --set "
                "changes this one number",
                "b.curve.times here stands for the time of the node: every entry of `times` goes "
                "with it; --set changes one entry, such as b.curve.times.4.wcet"}));
  system.tasks[0].nodes.push_back(system.tasks[0].nodes[1]);
  system.tasks[0].nodes[2].name = "again";
  system.tasks[0].graph = Graph::chain(3);
  EXPECT_EQ(
      slack_of(method("rtgpu"), system, {}).notes.front(),
      "a.mall.load, a.again.load here stand for the times of their nodes: `overhead` goes with "
      "it; --set changes this one number");
  EXPECT_TRUE(slack_of(method("gcaps.suspend"), forklift(), {}).notes.empty());
}

}  // namespace
}  // namespace tactus::decide
