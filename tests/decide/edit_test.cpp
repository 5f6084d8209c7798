#include <gtest/gtest.h>

#include "tactus/decide/edit.hpp"
#include "tactus/model/writer.hpp"
#include "tests/support/read.hpp"

namespace tactus::decide {
namespace {

System forklift() { return support::read_file("examples/forklift.system.json"); }

/// The forklift with one attribute set, which must be in order.
Edited with(const std::string& assignment, System system = forklift()) {
  Edited edited{std::move(system)};
  const auto problem = set(edited, assignment);
  EXPECT_FALSE(problem) << problem->message;
  for (const Diagnostic& found : finish(edited)) ADD_FAILURE() << found.message;
  return edited;
}

/// What is said of an assignment that makes no sense.
std::string problem_of(const std::string& assignment, System system = forklift()) {
  Edited edited{std::move(system)};
  const auto problem = set(edited, assignment);
  return problem ? problem->message : "";
}

/// What the rules of the file say of an assignment that makes sense by itself.
std::string broken_rule(const std::string& assignment) {
  Edited edited{forklift()};
  EXPECT_FALSE(set(edited, assignment));
  const auto found = finish(edited);
  return found.empty() ? "" : found.front().message;
}

TEST(Edit, SetsAnAttributeOfANodeATaskOrAnElement) {
  EXPECT_EQ(with("camera.detect.wcet=11").system.tasks[0].nodes[2].wcet, Time::from_ms(11));
  EXPECT_EQ(with("camera.priority=41").system.tasks[0].priority, 41);
  EXPECT_EQ(with("gpu.units=24").system.platform.elements[2].units, 24);
  EXPECT_EQ(with("planner.wait=busy").system.tasks[3].wait, WaitMode::kBusy);
  EXPECT_EQ(with("logger.best_effort=true").system.tasks[5].best_effort, true);
  EXPECT_EQ(with("camera.pre.on=gpu").system.tasks[0].nodes[0].on, 2U);
  EXPECT_EQ(with("gpu.sm.threads=2048").system.platform.elements[2].sm->threads, 2048);
  EXPECT_EQ(with("deploy.method=gcaps.busy").system.deploy->method, "gcaps.busy");
}

System see_steer() {
  return support::read_file("tests/data/cases/pipelines/01-worked.system.json");
}

TEST(Edit, SetsReleasesAndChains) {
  EXPECT_EQ(with("camera.jitter=7", see_steer()).system.tasks[1].jitter, Time::from_ms(7));
  EXPECT_EQ(with("see-steer.reaction=150", see_steer()).system.chains[0].reaction,
            Time::from_ms(150));
  EXPECT_EQ(with("see-steer.phases=fixed", see_steer()).system.chains[0].phases,
            Chain::Phases::kFixed);
  const System longer = with("camera.period=45", see_steer()).system;
  EXPECT_EQ(longer.tasks[2].period, Time::from_ms(45)) << "what it starts follows";
  EXPECT_EQ(longer.tasks[2].deadline, Time::from_ms(45));
  EXPECT_EQ(with("detect.after=motor", see_steer()).system.tasks[2].period, Time::from_ms(20));
  EXPECT_NE(problem_of("see-ster.age=3", see_steer()).find("did you mean `see-steer`"),
            std::string::npos)
      << problem_of("see-ster.age=3", see_steer());
  EXPECT_NE(problem_of("detect.after=nobody", see_steer()).find("there is no task `nobody`"),
            std::string::npos);
}

TEST(Edit, GivesWhatTheFileWithThatValueWouldGive) {
  const auto text = read_text_file(support::source_path("examples/forklift.system.json"));
  std::string changed = *text;
  const std::string before = R"("name": "detect", "on": "gpu", "wcet": 9)";
  changed.replace(changed.find(before), before.size(),
                  R"("name": "detect", "on": "gpu", "wcet": 11.25)");
  EXPECT_EQ(write_system(with("camera.detect.wcet=11.25").system),
            write_system(support::read(changed)));
}

TEST(Edit, TellsWhatWasChangedFromWhatToWhat) {
  const Edited edited = with("camera.detect.wcet=11");
  ASSERT_EQ(edited.changes.size(), 1U);
  EXPECT_EQ(to_string(edited.changes[0]), "camera.detect.wcet: 9 -> 11");
  EXPECT_EQ(to_string(with("gpu.preemption_delay=0.1").changes[0]),
            "gpu.preemption_delay: (not given) -> 0.1");
}

TEST(Edit, KeepsADeadlineThatIsThePeriodAsLongAsThePeriod) {
  const Edited edited = with("camera.period=30");
  EXPECT_EQ(edited.system.tasks[0].deadline, Time::from_ms(30));
  ASSERT_EQ(edited.changes.size(), 2U);
  EXPECT_EQ(to_string(edited.changes[1]), "camera.deadline: 33.3 -> 30");
  const Edited robot = with("camera.period=32", support::read_file("examples/robot.system.json"));
  EXPECT_EQ(robot.system.tasks[0].deadline, Time::from_ms(30)) << "which the file gives";
  EXPECT_EQ(robot.changes.size(), 1U);
}

TEST(Edit, SetsAPointOfAMeasuredCurve) {
  const System robot = support::read_file("examples/robot.system.json");
  EXPECT_EQ(with("camera.detect.times.8.wcet=13", robot).system.tasks[0].nodes[1].times[1].wcet,
            Time::from_ms(13));
  EXPECT_EQ(problem_of("camera.detect.times.9.wcet=13", robot),
            "--set `camera.detect.times.9.wcet=13`: node `detect` has no such entry of `times`; "
            "name one by its units, as in times.8.wcet");
}

TEST(Edit, SaysInOneLineWhatMakesNoSenseAndWhatMayBeMeant) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"camra.detect.wcet=11", "there is no task or element `camra`; did you mean `camera`?"},
      {"camera.detct.wcet=11", "task `camera` has no node `detct`; did you mean `detect`?"},
      {"camera.detect.wect=11", "node `detect` has no attribute `wect`; did you mean `wcet`?"},
      {"camera.peroid=11", "task `camera` has no attribute `peroid`; did you mean `period`?"},
      {"gpu.unit=11", "element `gpu` has no attribute `unit`; did you mean `units`?"},
      {"camera.wcet=11",
       "task `camera` has no attribute `wcet`, its nodes have; did you mean `camera.pre.wcet`, "
       "`camera.h2d.wcet`, `camera.detect.wcet`, `camera.post.wcet`?"},
      {"depth.wcet=11",
       "task `depth` has no attribute `wcet`, its nodes have; did you mean `depth.stereo.wcet`?"},
      {"stereo.wcet=11", "there is no task or element `stereo`; did you mean `depth.stereo.wcet`?"},
      {"nowhere.wcet=11",
       "there is no task or element `nowhere`; there are camera, lidar, depth, planner, motor, "
       "logger, cpu, copy, ..."},
      {"camera.rate=11", "task `camera` has no attribute `rate`; did you mean `period`?"},
      {"camera.detect.wcet=-1", "`wcet` must be a time >= 0, got -1"},
      {"camera.detect.wcet=11ms",
       "`wcet` must be a time >= 0, got the text `11ms`; times are in ms here, without a unit: 11"},
      {"camera.detect.wcet=900us",
       "`wcet` must be a time >= 0, got the text `900us`; times are in ms here, without a unit: "
       "0.9"},
      {"camera.priority=11ms", "`priority` must be an integer, got the text `11ms`"},
      {"camera.detect.on=gpo", "there is no element `gpo`; did you mean `gpu`?"},
      {"gpu.units=2.5", "`units` must be an integer >= 1, got 2.5"},
      {"camera.name=other", "`name` cannot be changed here, only in the file"},
      {"camera", "expected PATH=VALUE, such as camera.detect.wcet=11 or gpu.units=24"},
      {"camera=", "expected PATH=VALUE, such as camera.detect.wcet=11 or gpu.units=24"},
      {"=3", "expected PATH=VALUE, such as camera.detect.wcet=11 or gpu.units=24"},
      {"camera=3", "expected a path such as camera.period, camera.detect.wcet or gpu.units"},
  };
  for (const auto& [assignment, problem] : wrong) {
    EXPECT_EQ(problem_of(assignment), "--set `" + assignment + "`: " + problem);
  }
}

TEST(Edit, RefusesAValueThatIsNotUtf8) {
  EXPECT_NE(problem_of("gpu.units=2\xbd"), "");
  EXPECT_NE(problem_of("camera.period=\"a\xff\""), "");
}

TEST(Edit, ChangesNothingWhereItRefuses) {
  Edited edited{forklift()};
  for (const char* refused : {"interference.alpha=x", "deploy.user=[]", "gpu.sm.threads=-1"}) {
    EXPECT_TRUE(set(edited, refused)) << refused;
    EXPECT_EQ(edited.system, forklift()) << refused;
    EXPECT_TRUE(edited.changes.empty()) << refused;
  }
}

TEST(Edit, HoldsTheChangedSystemToTheRulesOfTheFile) {
  EXPECT_EQ(broken_rule("camera.priority=50"),
            "task `motor`: `priority` 50 is also that of task `camera`; priorities must be unique");
  EXPECT_EQ(broken_rule("camera.core=5"),
            "task `camera`: `core` (5) exceeds the `units` of element `cpu` (4)");
  EXPECT_EQ(broken_rule("camera.detect.bcet=10"),
            "task `camera`: node `detect`: `bcet` (10) exceeds `wcet` (9)");
}

TEST(Edit, TellsThatWholeTimesWereMeasuredOnAnotherWholeElement) {
  ASSERT_EQ(with("gpu.units=24").notes.size(), 1U);
  EXPECT_NE(with("gpu.units=24").notes[0].find("is now taken for 24 units"), std::string::npos);
  EXPECT_TRUE(with("cpu.units=5").notes.empty());
}

System other(const std::string& elements, const std::string& task) {
  return support::read(R"({"tactus": 1, "name": "other", "time_unit": "us", "platform":
    {"elements": [)" + elements +
                       R"(]}, "tasks": [)" + task + R"(]})");
}
constexpr const char* kCpu = R"({"name": "cpu", "kind": "cpu", "units": 4})";

TEST(Edit, AddsTheTasksOfAnotherFileWhateverItsUnit) {
  Edited edited{forklift()};
  const System radar = other(std::string(kCpu) + R"(, {"name": "dsp", "kind": "cpu", "units": 1})",
                             R"({"name": "radar", "period": 50000, "nodes": [
                                 {"name": "fft", "on": "dsp", "wcet": 700}]})");
  EXPECT_FALSE(add(edited, radar, "radar.system.json"));
  EXPECT_TRUE(finish(edited).empty());
  ASSERT_EQ(edited.system.tasks.size(), 7U);
  const Task& task = edited.system.tasks.back();
  EXPECT_EQ(task.period, Time::from_ms(50));
  EXPECT_EQ(edited.system.platform.elements[task.nodes[0].on].name, "dsp");
  EXPECT_EQ(to_string(edited.changes[0]), R"(radar.system.json added: ["radar"])");
}

TEST(Edit, TakesAFragmentWithFewerCoresAndWithoutTheCosts) {
  Edited edited{forklift()};
  const auto problem = add(
      edited,
      other(
          R"({"name": "cpu", "kind": "cpu", "units": 1}, {"name": "gpu", "kind": "gpu", "units": 16})",
          R"({"name": "x", "nodes": [{"name": "n", "on": "gpu", "wcet": 1}]})"),
      "x.json");
  EXPECT_FALSE(problem) << problem->message;
  EXPECT_EQ(edited.system.platform.elements[0].units, 4);
}

TEST(Edit, RefusesAFileWhoseElementsOrTasksContradict) {
  Edited edited{forklift()};
  const auto differs =
      add(edited,
          other(R"({"name": "cpu", "kind": "cpu", "units": 8})",
                R"({"name": "x", "nodes": [{"name": "n", "on": "cpu", "wcet": 1}]})"),
          "x.json");
  EXPECT_EQ(differs->message,
            "--add x.json: its element `cpu` differs from that of the same name: `units` is 4 here "
            "and 8 there");
  edited = {forklift()};
  const auto twice =
      add(edited,
          other(kCpu, R"({"name": "camera", "nodes": [{"name": "n", "on": "cpu", "wcet": 1}]})"),
          "x.json");
  EXPECT_EQ(twice->message, "--add x.json: there is a task `camera` already");
}

}  // namespace
}  // namespace tactus::decide
