#include <algorithm>
#include <tuple>

#include "tests/deploy/systems.hpp"

namespace tactus::deploy {
namespace {

using Words = std::vector<std::string>;

std::string variable(const Program& program, std::string_view name) {
  for (const Variable& each : program.environment)
    if (each.name == name) return each.value;
  return "(none)";
}

TEST(Launch, PutsEachTaskOnItsCoreInTheOrderOfItsPriority) {
  const Launch launch = launched(robot());
  ASSERT_EQ(launch.programs.size(), 4U);
  const auto& [camera, lidar, motor, logger] =
      std::tie(launch.programs[0], launch.programs[1], launch.programs[2], launch.programs[3]);
  EXPECT_EQ(camera.cpu, 0);
  EXPECT_EQ(lidar.cpu, 0);
  EXPECT_EQ(motor.cpu, 1);
  EXPECT_EQ(logger.cpu, 1);
  EXPECT_GT(motor.fifo, camera.fifo);
  EXPECT_GT(camera.fifo, lidar.fifo);
  EXPECT_GT(lidar.fifo, 0);
  EXPECT_EQ(logger.fifo, 0) << "best effort";
  ASSERT_TRUE(launch.arbiter);
  EXPECT_EQ(launch.arbiter->cpu, 2);
  EXPECT_GT(launch.arbiter->fifo, motor.fifo);
}

TEST(Launch, GivesProgramsTheGpuPriorityOfThePlanAndTheWayToTheArbiter) {
  Wish wish;
  wish.socket = "/run/x/s";
  const Launch launch = launched(robot(), wish);
  EXPECT_EQ(variable(launch.programs[0], "TACTUS_SEGMENT_PRIORITY"), "9");
  EXPECT_EQ(variable(launch.programs[1], "TACTUS_SEGMENT_PRIORITY"), "2");
  EXPECT_EQ(variable(launch.programs[2], "TACTUS_SEGMENT_PRIORITY"), "(none)") << "no GPU work";
  EXPECT_EQ(variable(launch.programs[3], "TACTUS_SEGMENT_PRIORITY"), "best-effort");
  EXPECT_EQ(variable(launch.programs[1], "TACTUS_SOCKET"), "/run/x/s");
  EXPECT_EQ(launch.programs[1].words, (Words{"/opt/robot/run", "a b"}));
  EXPECT_EQ(variable(launch.programs[2], "TACTUS_TASK"), "robot/motor");
  EXPECT_EQ(launch.arbiter->words,
            (Words{"/usr/bin/tactusd", "--socket", "/run/x/s", "--cpu", "2", "--realtime", "90"}));
}

TEST(Launch, PutsWhatOnlyCopiesUnderTheArbiter) {
  System system = robot();
  Element bus;
  bus.name = "bus";
  bus.kind = ElementKind::kCopy;
  system.platform.elements.push_back(bus);
  system.tasks[3].nodes[0].on = 2;
  EXPECT_EQ(variable(launched(system).programs[3], "TACTUS_SEGMENT_PRIORITY"), "best-effort");
}

TEST(Launch, StartsAnArbiterThatOpensGatesForPlansThatNeedOne) {
  const Launch launch = launched(robot(), {}, "gcaps.boost.suspend", "safe");
  EXPECT_EQ(launch.arbiter->words,
            (Words{"/usr/bin/tactusd", "--socket", "/run/tactus/tactus.sock", "--protocol", "boost",
                   "--cpu", "2", "--realtime", "90"}));
  EXPECT_EQ(variable(launch.programs[1], "TACTUS_SEGMENT_PRIORITY"), "2");
  ASSERT_FALSE(launch.notes.empty());
  EXPECT_NE(launch.notes[0].find("tactus_segment_begin_stream(stream, TACTUS_DEPLOYED_PRIORITY, "
                                 "threshold)"),
            std::string::npos)
      << launch.notes[0];
  EXPECT_NE(launch.notes[0].find("segment by segment: camera 9; lidar 2."), std::string::npos)
      << launch.notes[0];
}

TEST(Launch, LeavesBestEffortProgramsUnchangedWithTheTierChannelAndAllWithProcess) {
  Wish wish;
  wish.by = By::kChannel;
  Launch launch = launched(robot(), wish);
  EXPECT_EQ(launch.programs[1].words.front(), "/opt/robot/run");
  EXPECT_EQ(launch.programs[3].words,
            (Words{"/usr/bin/tactus", "exec", "--tier", "channel", "--best-effort", "--required",
                   "--", "/opt/robot/run", "a b"}));
  launch = launched(robot(), wish, "gcaps.boost.suspend", "safe");
  EXPECT_EQ(launch.programs[1].words,
            (Words{"/usr/bin/tactus", "exec", "--tier", "channel", "--segments", "--required", "--",
                   "/opt/robot/run", "a b"}))
      << "thresholds need the library";
  EXPECT_EQ(variable(launch.programs[1], "TACTUS_SEGMENT_PRIORITY"), "2");
  EXPECT_EQ(launch.programs[2].words.front(), "/opt/robot/run") << "no GPU work";
  wish.by = By::kProcess;
  launch = launched(robot(), wish);
  EXPECT_EQ(launch.programs[0].words,
            (Words{"/usr/bin/tactus", "exec", "--tier", "process", "--priority", "9", "--required",
                   "--", "/opt/robot/run", "a b"}));
  EXPECT_EQ(launch.programs[2].words.front(), "/opt/robot/run") << "no GPU work";
}

TEST(Launch, LetsEachUserHaveThePrioritiesOfItsTasksOnly) {
  const Launch launch =
      launched(robot(R"("arbiter_core": 3)", R"({"argv": ["x"], "user": "robot"})"));
  const Words& words = launch.arbiter->words;
  EXPECT_EQ(Words(words.end() - 6, words.end()),
            (Words{"--group", "video", "--allow", "*:best-effort", "--allow", "robot:2-9"}));
  EXPECT_EQ(launch.programs[0].groups, (Words{"video"}));
}

TEST(Launch, FindsACpuForTheArbiter) {
  EXPECT_EQ(launched(robot()).arbiter->cpu, 2) << "the file says so";
  EXPECT_EQ(launched(robot("")).arbiter->cpu, 2) << "the core without tasks";
  Wish wish;
  wish.cpus = {5, 7, 4};
  const Launch moved = launched(robot(), wish);
  EXPECT_EQ(moved.programs[0].cpu, 5);
  EXPECT_EQ(moved.programs[2].cpu, 7);
  EXPECT_EQ(moved.arbiter->cpu, 4);
  System full = robot("");
  for (Element& element : full.platform.elements)
    if (element.kind == ElementKind::kCpu) element.units = 2;
  EXPECT_EQ(places_of(full, {}, true)->arbiter, 2) << "one more than the file has";
  EXPECT_EQ(places_of(full, {0, 1, 9}, true)->arbiter, 9);
  EXPECT_FALSE(places_of(full, {0, 1}, true));
  EXPECT_FALSE(places_of(full, {0}, false));
  EXPECT_TRUE(places_of(full, {0, 1}, false));
}

TEST(Launch, NamesEveryTaskWithoutACommand) {
  System system = robot();
  system.tasks[1].command.reset();
  system.tasks[3].command.reset();
  const auto result = made(system);
  const auto* problems = std::get_if<std::vector<Diagnostic>>(&result);
  ASSERT_NE(problems, nullptr);
  ASSERT_EQ(problems->size(), 2U);
  EXPECT_EQ((*problems)[0].message, "task `lidar` has no `command`, so it cannot be started");
  EXPECT_TRUE((*problems)[0].at.known());
}

TEST(Launch, RefusesAPlanWhoseVariantDoesNotCoverWhatRuns) {
  const auto result = made(robot(), {}, "gcaps.suspend", "safe");
  const auto* problems = std::get_if<std::vector<Diagnostic>>(&result);
  ASSERT_NE(problems, nullptr);
  EXPECT_NE(problems->front().message.find("--variant safe-arbiter"), std::string::npos);
}

TEST(Launch, RefusesAUserThatIsNone) {
  const auto result = made(robot(R"("arbiter_core": 3)", R"({"argv": ["x"], "user": "a b"})"));
  EXPECT_TRUE(std::holds_alternative<std::vector<Diagnostic>>(result));
}

/// The lidar follows the camera; the motor has a rhythm of its own.
System path_of(const std::string& command = R"({"argv": ["/opt/robot/run"]})") {
  System system = robot(R"("arbiter_core": 3)", command);
  Task &camera = system.tasks[0], &lidar = system.tasks[1];
  camera.jitter = Time::from_ms(2);
  camera.offset = Time::from_ms(5);
  camera.nodes[0].bcet = Time::from_ms(1);
  lidar.after = 0;
  lidar.jitter = Time::from_ms(1);
  return system;
}

TEST(Launch, TellsTasksWhomTheyFollowAndWhenTheyArrive) {
  Wish wish;
  wish.socket = "/run/x/s";
  const Launch launch = launched(path_of(), wish);
  const Program &camera = launch.programs[0], &lidar = launch.programs[1],
                &motor = launch.programs[2];
  EXPECT_EQ(launch.paths, "/run/x/paths-robot");
  EXPECT_EQ(variable(camera, "TACTUS_PATHS"), "/run/x/paths-robot");
  EXPECT_EQ(variable(camera, "TACTUS_AFTER"), "(none)");
  EXPECT_EQ(variable(camera, "TACTUS_JITTER_NS"), "2000000");
  EXPECT_EQ(variable(camera, "TACTUS_PERIOD_NS"), "100000000");
  EXPECT_EQ(variable(camera, "TACTUS_OFFSET_NS"), "5000000");
  EXPECT_EQ(variable(lidar, "TACTUS_AFTER"), "robot/camera");
  EXPECT_EQ(variable(lidar, "TACTUS_PATHS"), "/run/x/paths-robot");
  EXPECT_EQ(variable(lidar, "TACTUS_JITTER_NS"), "1000000");
  EXPECT_EQ(variable(lidar, "TACTUS_LEAST_NS"), "1000000");
  EXPECT_EQ(variable(lidar, "TACTUS_PERIOD_NS"), "(none)");
  EXPECT_EQ(variable(motor, "TACTUS_PATHS"), "(none)");
  EXPECT_FALSE(motor.on_path);
  EXPECT_EQ(variable(motor, "TACTUS_WATCH"), "/run/x/watch-robot");
  EXPECT_NE(launch.notes.back().find("tactus_path_wait"), std::string::npos);
}

TEST(Launch, TellsTasksOfFixedChainsTheirOffsets) {
  System system = path_of();
  Chain& chain = system.chains.emplace_back();
  chain.name = "see";
  chain.tasks = {0, 1, 2};
  chain.phases = Chain::Phases::kFixed;
  EXPECT_EQ(variable(launched(system).programs[2], "TACTUS_PERIOD_NS"), "50000000");
}

TEST(Launch, RefusesAPathOfSeveralUsers) {
  System system = path_of();
  system.tasks[1].command->user = "robot";
  const auto result = made(system);
  const auto* problems = std::get_if<std::vector<Diagnostic>>(&result);
  ASSERT_NE(problems, nullptr);
  EXPECT_NE(problems->front().message.find("runs as another user"), std::string::npos);
}

TEST(Launch, RefusesAPathWhoseFileCannotBeNamed) {
  System system = path_of();
  system.tasks[1].name = std::string(81, ' ');  // each of them is three characters there
  const auto result = made(system);
  const auto* problems = std::get_if<std::vector<Diagnostic>>(&result);
  ASSERT_NE(problems, nullptr);
  EXPECT_EQ(problems->size(), 1U);
  EXPECT_NE(problems->front().message.find("is too long for the file"), std::string::npos);
}

TEST(Launch, NeedsNoArbiterWhereTheDriverDecides) {
  System system = robot();
  for (Element& element : system.platform.elements)
    if (element.kind == ElementKind::kGpu) element.time_slice = Time::from_ms(1);
  const Launch launch = launched(system, {}, "tsg-rr.suspend", "safe");
  EXPECT_FALSE(launch.arbiter);
  EXPECT_EQ(launch.programs.size(), 4U);
  EXPECT_EQ(variable(launch.programs[0], "TACTUS_SOCKET"), "(none)");
}

TEST(Launch, WaitsLongerThanLeavingTakes) {
  System system = robot(R"("arbiter_core": 3, "preemption_delay": 60)");
  for (Task& task : system.tasks)
    if (task.period) task.period = task.deadline = Time::from_ms(5000);
  const Launch launch = launched(system);
  const Words& words = launch.arbiter->words;
  const auto option = std::find(words.begin(), words.end(), "--update-timeout");
  ASSERT_NE(option, words.end());
  EXPECT_GE(std::stoi(*(option + 1)), 2 * 60) << "of one task that leaves, twice";
}

TEST(Launch, PlaysAPlanWithSharesInOneProgram) {
  const System system = support::read_file("examples/robot.system.json");
  Wish wish;
  wish.realtime = false;
  const Launch launch = launched(system, wish, "gang.wc", "safe");
  EXPECT_FALSE(launch.arbiter);
  ASSERT_EQ(launch.programs.size(), 1U);
  EXPECT_EQ(launch.programs[0].words,
            (Words{"/usr/bin/tactus", "run", "/d/robot.system.json", "--plan", "/d/robot.plan.json",
                   "--backend", "cuda", "--strict"}));
}

TEST(Launch, RefusesAPlanWhoseLockIsPartOfThePrograms) {
  const auto result = made(robot(), {}, "fmlp.suspend", "safe");
  const auto* problems = std::get_if<std::vector<Diagnostic>>(&result);
  ASSERT_NE(problems, nullptr);
  EXPECT_NE(problems->front().message.find("its lock is part of the programs"), std::string::npos);
}

TEST(Launch, HasALevelForEveryTaskOfACoreEvenIfThereAreManyInAll) {
  System system = robot();
  const Task pattern = system.tasks[2];
  for (Element& element : system.platform.elements)
    if (element.kind == ElementKind::kCpu) element.units = 101;
  system.platform.elements[1].arbiter_core = 101;
  for (int i = 0; i < 97; ++i) {
    Task task = pattern;
    task.name = "t" + std::to_string(i);
    task.core = i + 4;
    task.priority = 100 + i;
    system.tasks.push_back(task);
  }
  const Launch launch = launched(system);
  for (const Program& program : launch.programs) {
    EXPECT_LE(program.fifo, 89) << program.name;
    EXPECT_EQ(program.fifo >= 10, program.name != "logger") << program.name;
  }
  EXPECT_GT(launch.programs[0].fifo, launch.programs[1].fifo) << "of one core";
}

}  // namespace
}  // namespace tactus::deploy
