// The questions of the C interface: the documents are those of the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "tests/api/answers.hpp"

namespace tactus::api_test {
namespace {

std::string printed_by_tactus(const std::string& arguments) {
  const std::string command =
      "cd " + support::source_path("") + " && " TACTUS_BINARY " " + arguments;
  std::string text;
  std::array<char, 4096> part{};
  FILE* pipe = ::popen(command.c_str(), "r");
  while (pipe != nullptr && std::fgets(part.data(), part.size(), pipe) != nullptr) {
    text += part.data();
  }
  ::pclose(pipe);
  return text;
}

TEST(Questions, CheckGivesTheDocumentOfTheCommandLine) {
  const Answer answer = tactus_check(robot().c_str(), R"({"file": "examples/robot.system.json"})");
  EXPECT_EQ(answer.status(), TACTUS_YES);
  EXPECT_EQ(answer.document(), printed_by_tactus("check examples/robot.system.json --json"));
}

TEST(Questions, CheckTellsEveryProblemWithItsPlaceAndItsPointer) {
  const Answer answer = tactus_check(text_of("examples/broken.system.json").c_str(), nullptr);
  EXPECT_EQ(answer.status(), TACTUS_BAD_INPUT);
  EXPECT_TRUE(answer.shows("\"valid\": false"));
  EXPECT_TRUE(answer.says(R"("line": 13)")) << answer.problems();
  EXPECT_TRUE(answer.says(R"("pointer": "/tasks/0/peroid")")) << answer.problems();
  EXPECT_TRUE(answer.says(R"("pointer": "/tasks/0/nodes/0/wcet")")) << answer.problems();
  EXPECT_TRUE(answer.says(R"("document": "<system>")"));
}

TEST(Questions, AnalyzeGivesTheDocumentOfTheCommandLine) {
  const Answer answer = tactus_analyze(robot().c_str(), nullptr, nullptr);
  EXPECT_EQ(answer.status(), TACTUS_YES);
  EXPECT_EQ(answer.document(), printed_by_tactus("analyze examples/robot.system.json --json"));
}

TEST(Questions, AnalyzeTakesMethodsVariantsAndChanges) {
  const Answer answer = tactus_analyze(
      robot().c_str(),
      R"({"method": "gcaps.*", "variant": "paper", "threads": 2, "set": ["camera.period=40"]})",
      nullptr);
  EXPECT_EQ(answer.document(),
            printed_by_tactus("analyze examples/robot.system.json --method 'gcaps.*' --variant "
                              "paper --set camera.period=40 --json"));
}

TEST(Questions, ADeadlineThatIsNotProvedIsANo) {
  const Answer answer = tactus_analyze(robot().c_str(), R"({"method": "mpcp.suspend"})", nullptr);
  EXPECT_EQ(answer.status(), TACTUS_NO);
}

TEST(Questions, SlackGivesTheDocumentOfTheCommandLine) {
  const Answer answer = tactus_slack(robot().c_str(), R"({"method": "gcaps.suspend"})", nullptr);
  EXPECT_EQ(answer.status(), TACTUS_YES);
  EXPECT_EQ(answer.document(), printed_by_tactus("slack examples/robot.system.json --method "
                                                 "gcaps.suspend --json"));
}

TEST(Questions, ReservationsAreAskedForDryAsOnTheCommandLine) {
  const Answer answer = tactus_reserve_dry(robot().c_str(), R"({"trust": true})", nullptr);
  EXPECT_EQ(answer.document(),
            printed_by_tactus("reserve examples/robot.system.json --dry --trust --json"));
  EXPECT_TRUE(answer.shows(R"("answer": "admitted")"));
  const Answer wrong = tactus_reserve_dry(robot().c_str(), R"({"notice": "soon"})", nullptr);
  EXPECT_EQ(wrong.status(), TACTUS_BAD_INPUT);
}

TEST(Questions, AMachineIsExaminedAndAPlanDeployedAsOnTheCommandLine) {
  EXPECT_EQ(Answer(tactus_profiles()).document(), printed_by_tactus("gpu profiles --json"));
  const support::TemporaryFolder folder;
  const std::string root = folder.file("machine");
  std::filesystem::create_directory(root);
  const Answer bare = tactus_doctor(nullptr, (R"({"root": ")" + root + R"("})").c_str());
  EXPECT_EQ(bare.document(), printed_by_tactus("doctor --json --root " + root));

  const std::string system = text_of("examples/forklift.system.json");
  const Answer plan = tactus_plan(
      system.c_str(), R"({"method": "gcaps.suspend", "variant": "safe-arbiter"})", nullptr);
  const std::string made = folder.file("plan.json", plan.document()), units = folder.file("units");
  const std::string request = R"({"plan": )" + plan.document();
  const Answer refused =
      tactus_deploy(system.c_str(), (request + R"(, "output": ")" + units + R"("})").c_str());
  EXPECT_EQ(refused.status(), TACTUS_NO) << refused.problems();
  EXPECT_TRUE(refused.shows(R"("folder": null)"));
  EXPECT_FALSE(std::filesystem::exists(units));
  const Answer written = tactus_deploy(
      system.c_str(),
      (request + R"(, "accept": ["leaves"], "programs": "/usr/bin", "output": ")" + units + R"("})")
          .c_str());
  EXPECT_EQ(written.status(), TACTUS_YES) << written.document();
  EXPECT_EQ(written.document(),
            printed_by_tactus("deploy examples/forklift.system.json --plan " + made +
                              " --accept leaves --programs /usr/bin --replace --json -o " + units));
  const Answer doctor = tactus_doctor(
      system.c_str(), (request + R"(, "accept": ["leaves"], "root": ")" + root + R"("})").c_str());
  EXPECT_EQ(doctor.status(), TACTUS_NO);
  EXPECT_EQ(doctor.document(), printed_by_tactus("doctor examples/forklift.system.json --plan " +
                                                 made + " --accept leaves --json --root " + root));
}

TEST(Questions, BoundsFollowOneValueWhereASweepIsAsked) {
  const Answer answer = tactus_slack(
      robot().c_str(),
      R"({"method": "gcaps.suspend", "sweep": "camera.detect.wcet=6..12", "points": 3})", nullptr);
  EXPECT_EQ(answer.status(), TACTUS_YES) << answer.problems();
  EXPECT_TRUE(answer.shows(R"("of": "camera.detect.wcet")"));
  EXPECT_TRUE(answer.shows(R"("value": 9)"));
  const Answer wrong = tactus_slack(
      robot().c_str(), R"({"method": "gcaps.suspend", "sweep": "camera.detect=6"})", nullptr);
  EXPECT_EQ(wrong.status(), TACTUS_BAD_INPUT);
}

TEST(Questions, AdviseGivesTheDocumentOfTheCommandLineAndThePlansOnRequest) {
  const Answer plain =
      tactus_advise(robot().c_str(), R"({"method": "gcaps.*", "vary": ["cores"]})", nullptr);
  EXPECT_EQ(plain.document(), printed_by_tactus("advise examples/robot.system.json --method "
                                                "'gcaps.*' --vary cores --json"));
  const Answer more = tactus_advise(
      robot().c_str(), R"({"method": "gcaps.*", "vary": ["cores"], "systems": true})", nullptr);
  const Answer late = tactus_advise(
      robot().c_str(), R"({"method": "gcaps.*", "stop_after": 30, "seed": 1})", nullptr);
  EXPECT_TRUE(late.has_document()) << late.problems();
  EXPECT_TRUE(Answer(tactus_advise(robot().c_str(), R"({"time-limit": 30})", nullptr))
                  .says("unknown key `time-limit`; it is `stop_after`"));
  EXPECT_FALSE(plain.shows("\"fingerprint\""));
  EXPECT_TRUE(more.shows("\"fingerprint\""));
  EXPECT_TRUE(more.shows("\"platform\""));
}

TEST(Questions, APlanIsMadeCheckedAndSimulated) {
  const Answer plan = tactus_plan(robot().c_str(), R"({"method": "gcaps.suspend.prio"})", nullptr);
  ASSERT_EQ(plan.status(), TACTUS_YES) << plan.problems();
  EXPECT_EQ(plan.document(), printed_by_tactus("plan examples/robot.system.json --method "
                                               "gcaps.suspend.prio --json"));
  const Answer good = tactus_check_plan(robot().c_str(), plan.document().c_str(), nullptr);
  EXPECT_EQ(good.status(), TACTUS_YES);
  EXPECT_TRUE(good.shows("\"holds\": true"));

  const std::string request = "{\"jobs\": 5, \"plan\": " + plan.document() + "}";
  const Answer run = tactus_simulate(robot().c_str(), request.c_str(), nullptr);
  EXPECT_EQ(run.status(), TACTUS_YES) << run.problems();
  EXPECT_TRUE(run.shows("\"method\": \"gcaps.suspend.prio\""));

  std::string changed = plan.document();
  changed.replace(changed.find("10.3"), 4, "10.2");
  const Answer bad = tactus_check_plan(robot().c_str(), changed.c_str(), nullptr);
  EXPECT_EQ(bad.status(), TACTUS_NO);
}

TEST(Questions, SimulateGivesTheDocumentOfTheCommandLine) {
  const Answer answer = tactus_simulate(
      robot().c_str(),
      R"({"method": "gcaps.suspend", "scenario": "sporadic,uniform", "seed": 7, "jobs": 10})",
      nullptr);
  EXPECT_EQ(answer.status(), TACTUS_YES);
  EXPECT_EQ(answer.document(),
            printed_by_tactus("simulate examples/robot.system.json --policy gcaps.suspend "
                              "--scenario sporadic,uniform --seed 7 --jobs 10 --json"));
}

TEST(Questions, ValidateGivesTheDocumentOfTheCommandLine) {
  const Answer answer =
      tactus_validate(R"({"method": "gcaps.suspend", "variant": "paper", "count": 20})", nullptr);
  EXPECT_EQ(answer.status(), TACTUS_NO);
  EXPECT_EQ(
      answer.document(),
      printed_by_tactus("lab validate --method gcaps.suspend --variant paper --count 20 --json"));
}

TEST(Questions, CompletionsCanBeSeenLate) {
  const Answer hunted = tactus_validate(
      R"({"method": "gcaps.boost.suspend", "count": 20, "late_completions": true})", nullptr);
  EXPECT_EQ(hunted.status(), TACTUS_YES) << hunted.problems();
  EXPECT_EQ(hunted.document(),
            printed_by_tactus("lab validate --method gcaps.boost.suspend --count 20 "
                              "--late-completions --json"));
  const Answer simulated = tactus_simulate(
      robot().c_str(), R"({"method": "gcaps.boost.suspend", "late_completions": true})", nullptr);
  const std::string command =
      "simulate examples/robot.system.json --policy gcaps.boost.suspend --json";
  EXPECT_EQ(simulated.document(), printed_by_tactus(command + " --late-completions"));
  EXPECT_NE(simulated.document(), printed_by_tactus(command));
  EXPECT_TRUE(Answer(tactus_simulate(robot().c_str(), R"({"late_completions": true})", nullptr))
                  .says("no arbiter that looks for completions"));
}

TEST(Questions, ExplanationsAreThoseOfTheCommandLine) {
  const Answer answer = tactus_analyze(
      robot().c_str(), R"({"method": "gcaps.suspend", "explain": "camera"})", nullptr);
  EXPECT_EQ(answer.document(),
            printed_by_tactus(
                "analyze examples/robot.system.json -m gcaps.suspend --explain camera --json"));
}

TEST(Questions, WhatAMethodDoesNotCoverIsToldTheSameWayAsOnTheCommandLine) {
  const std::string question = R"({"method": "gcaps.suspend", "file": "examples/x.json"})";
  const Answer answer =
      tactus_slack(text_of("examples/incomplete.system.json").c_str(), question.c_str(), nullptr);
  EXPECT_EQ(answer.status(), TACTUS_UNKNOWN);
  const std::string told =
      printed_by_tactus("slack examples/incomplete.system.json -m gcaps.suspend 2>&1");
  EXPECT_GT(std::count(told.begin(), told.end(), '\n'), 2) << "all obstacles";
  std::size_t problems = 0;
  for (std::size_t at = 0; (at = answer.problems().find("does not apply", at)) != std::string::npos;
       ++at) {
    ++problems;
  }
  EXPECT_EQ(problems, static_cast<std::size_t>(std::count(told.begin(), told.end(), '\n')));
}

TEST(Questions, GenerateGivesTheSystemsOfTheCommandLine) {
  const Answer answer =
      tactus_generate(R"({"recipe": "gcaps-table3", "seed": 7, "set": {"cpus": 6}})");
  EXPECT_EQ(answer.status(), TACTUS_YES) << answer.problems();
  EXPECT_EQ(answer.document(),
            printed_by_tactus("lab generate gcaps-table3 --set cpus=6 --seed 7"));
  EXPECT_TRUE(Answer(tactus_generate(R"({"recipe": "gcaps-tabel3"})")).says("did you mean"));
}

TEST(Questions, MethodsAndRecipesAreListed) {
  EXPECT_EQ(Answer(tactus_methods(nullptr)).document(), printed_by_tactus("methods --json"));
  EXPECT_TRUE(Answer(tactus_recipes()).shows("gcaps-table3"));
  EXPECT_EQ(Answer(tactus_methods(R"({"method": "gcpas.*"})")).status(), TACTUS_BAD_INPUT);
}

TEST(Questions, TheCanonicalFormHasTheChanges) {
  const Answer answer = tactus_canonical(robot().c_str(), R"({"set": ["camera.period=40"]})");
  EXPECT_EQ(answer.status(), TACTUS_YES);
  EXPECT_TRUE(answer.shows("\"period\": 40"));
}

TEST(Questions, TasksOfAnotherSystemAreAdded) {
  std::string other = robot();
  other = other.substr(0, other.find("\"tasks\"")) +
          R"("tasks": [{"name": "second", "best_effort": true, "core": 1,
                        "nodes": [{"name": "n", "on": "gpu", "wcet": 1}]}]})";
  const std::string request = "{\"add\": [" + other + "]}";
  const Answer answer = tactus_canonical(robot().c_str(), request.c_str());
  EXPECT_EQ(answer.status(), TACTUS_YES) << answer.problems();
  EXPECT_TRUE(answer.shows("\"second\""));
}

TEST(Questions, ARefusalTellsEveryObstacle) {
  const Answer answer = tactus_plan(text_of("examples/dag-example.system.json").c_str(),
                                    R"({"method": "gcaps.suspend.prio"})", nullptr);
  EXPECT_EQ(answer.status(), TACTUS_UNKNOWN);
  EXPECT_FALSE(answer.has_document());
  EXPECT_TRUE(answer.says("does not apply"));
}

}  // namespace
}  // namespace tactus::api_test
