// `tactus measure`: a file, and a program.
#include <gtest/gtest.h>

#include "tactus/base/file.hpp"
#include "tactus/model/reader.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kRobot = source_path("examples/robot.system.json");

std::optional<System> system_in(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return std::nullopt;
  return read_system(*text).system;
}

TEST(Measure, WritesTheTimesOfAFileIntoANewOne) {
  const TemporaryFolder folder;
  const std::string out = folder.file("measured.system.json");
  const Ran ran = run_tactus({"measure", kRobot, "--backend", "emulator", "--units", "8,16",
                              "--runs", "3", "--margin", "10", "-o", out});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "Measured, not proved")) << ran.out;
  const auto system = system_in(out);
  ASSERT_TRUE(system);
  bool any = false;
  for (const Task& task : system->tasks) {
    for (const Node& node : task.nodes) {
      if (!node.measured || node.times.empty()) continue;
      any = true;
      EXPECT_EQ(node.times.size(), 2U);
      EXPECT_EQ(node.measured->on, "emulator");
    }
  }
  EXPECT_TRUE(any);
  EXPECT_EQ(run_tactus({"check", out}).exit_code, 0);
}

TEST(Measure, PrintsTheSameForPrograms) {
  const Ran ran = run_tactus({"measure", kRobot, "--backend", "emulator", "--units", "8", "--runs",
                              "2", "--json", "--samples"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  for (const char* part :
       {"\"file\": {", "\"samples\": [", "\"still_grows\"", "\"conditions\": {"}) {
    EXPECT_TRUE(contains(ran.out, part)) << part;
  }
}

TEST(Measure, TellsWhatIsWrong) {
  EXPECT_EQ(run_tactus({"measure", kRobot, "--units", "8,x"}).exit_code, 2);
  EXPECT_EQ(run_tactus({"measure", kRobot, "--enemies", "gravity"}).exit_code, 2);
  EXPECT_EQ(run_tactus({"measure", kRobot, "--nodes", "nobody"}).exit_code, 2);
  EXPECT_EQ(run_tactus({"measure", kRobot, kRobot}).exit_code, 2);
  EXPECT_EQ(run_tactus({"measure", kRobot, "--runs", "0"}).exit_code, 2);
  EXPECT_EQ(run_tactus({"measure"}).exit_code, 2);
  EXPECT_EQ(run_tactus({"measure", kRobot, "--backend", "emulator", "--units", "100000"}).exit_code,
            3);
}

TEST(MeasureCommand, SeesTheJobsOfAProgramHoweverItFindsTheDriver) {
  const TemporaryFolder folder;
  for (const char* how : {"linked", "dlsym", "everywhere", "table"}) {
    const std::string out = folder.file(std::string(how) + ".system.json");
    const Ran ran =
        run_tactus({"measure", "-o", out, "--task", "camera", "--", TACTUS_PERIODIC, how});
    ASSERT_EQ(ran.exit_code, 0) << how << ": " << ran.err << ran.out;
    const auto system = system_in(out);
    ASSERT_TRUE(system) << how;
    const Task& task = system->tasks.front();
    EXPECT_EQ(task.name, "camera");
    EXPECT_GE(*task.period, Time::from_us(10'000)) << how;
    ASSERT_EQ(task.nodes.size(), 4U) << how;
    EXPECT_GE(*task.nodes[1].wcet, Time::from_us(1000)) << "the copy";
    EXPECT_GE(*task.nodes[3].wcet, Time::from_us(3000)) << "the wait";
    EXPECT_EQ(task.nodes[3].measured->runs, 18);
  }
}

TEST(MeasureCommand, TakesTheSegmentsThatAProgramMarks) {
  const Ran ran = run_tactus({"measure", "--json", "--", TACTUS_PERIODIC, "segments"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "the segments that it marks")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\"jobs\": 18")) << ran.out;
}

TEST(MeasureCommand, CutsWhereAutomaticSegmentsAreCut) {
  const Ran ran = run_tactus({"measure", "--auto", "--", TACTUS_PERIODIC, "linked"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("each job has 2 automatic segments"), std::string::npos) << ran.out;
}

TEST(MeasureCommand, SaysWhyThereIsNothingToSee) {
  const Ran nothing = run_tactus({"measure", "--", "true"});
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_EQ(nothing.err, "tactus: the program asked nothing of a GPU, and marked no segment\n");
  const Ran unfinished = run_tactus({"measure", "--", TACTUS_PERIODIC, "unfinished"});
  EXPECT_EQ(unfinished.exit_code, 3);
  EXPECT_TRUE(contains(unfinished.err, "its end is not known")) << unfinished.err;
  EXPECT_EQ(run_tactus({"measure", "--cut-at", "printf", "--", TACTUS_PERIODIC}).exit_code, 3);
  EXPECT_EQ(run_tactus({"measure", "--", "/nonexistent/program"}).exit_code, 3);
}

TEST(MeasureCommand, EndsAProgramThatRunsTooLong) {
  const Ran ran = run_tactus({"measure", "--duration", "50", "--", "sleep", "600"});
  EXPECT_EQ(ran.exit_code, 3) << "it asked nothing of a GPU";
}

}  // namespace
}  // namespace tactus::cli
