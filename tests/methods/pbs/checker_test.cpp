#include <fmt/core.h>
#include <gtest/gtest.h>

#include "systems.hpp"

/// The checker says yes to every table of the library (agreement_test.cpp) and no to each way in
/// which a table can be wrong.
namespace tactus::pbs::testing {
namespace {

struct FrameText {
  std::string start, end;
  std::vector<std::pair<std::string, int>> jobs;
};

const std::vector<FrameText> kFigure2d = {
    {"0", "1", {{"t1", 0}}},   {"1", "5", {{"t2", 0}, {"t3", 0}}},
    {"5", "6", {{"t1", 1}}},   {"6", "9", {{"t2", 1}}},
    {"9", "10", {{"t1", 2}}},  {"10", "14", {{"t2", 2}, {"t3", 1}}},
    {"14", "15", {{"t1", 3}}}, {"15", "18", {{"t2", 3}}},
    {"18", "19", {{"t1", 4}}},
};

std::string plan_text(const std::vector<FrameText>& frames, const std::string& method,
                      const std::string& more = ", \"hyperperiod\": 20") {
  std::string text;
  for (const FrameText& frame : frames) {
    std::string jobs;
    for (const auto& [task, job] : frame.jobs) {
      jobs +=
          fmt::format("{}{{\"task\": \"{}\", \"job\": {}}}", jobs.empty() ? "" : ", ", task, job);
    }
    text += fmt::format("{}{{\"start\": {}, \"end\": {}, \"batch\": [{}]}}",
                        text.empty() ? "" : ", ", frame.start, frame.end, jobs);
  }
  return fmt::format("{{\"tactus\": 1, \"method\": \"{}\"{}, \"frames\": [{}]}}", method, more,
                     text);
}

std::string problems(std::vector<FrameText> frames, const std::string& method = "pbs.graph",
                     const std::string& more = ", \"hyperperiod\": 20") {
  const System system = make(figure_1());
  std::string all;
  for (const std::string& problem : check_text(kGraph, system, plan_text(frames, method, more))) {
    all += problem + "\n";
  }
  return all;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Checker, AcceptsFigure2d) { EXPECT_EQ(problems(kFigure2d), ""); }

TEST(Checker, NeedsNothingButFrames) { EXPECT_EQ(problems(kFigure2d, "pbs.graph", ""), ""); }

TEST(Checker, RefusesFigure2cBecauseOfFrameEndTimes) {
  auto frames = kFigure2d;
  frames[2] = {"5", "9", {{"t1", 1}, {"t2", 1}}};
  frames.erase(frames.begin() + 3);
  EXPECT_TRUE(says(problems(frames), "frame 2: job t1#1 misses its deadline 8"));
}

TEST(Checker, FindsAWrongHyperperiod) {
  EXPECT_TRUE(says(problems(kFigure2d, "pbs.graph", ", \"hyperperiod\": 40"), "hyperperiod"));
}

TEST(Checker, FindsAFrameOfTheWrongLength) {
  auto frames = kFigure2d;
  frames[8].end = "19.5";
  EXPECT_TRUE(says(problems(frames), "frame 8: `start` and `end`")) << "half a tick";
  frames[8].end = "20";
  EXPECT_TRUE(says(problems(frames), "frame 8: takes 2, but the batch completes in 1"));
  frames = kFigure2d;
  frames[3].end = "8";
  EXPECT_TRUE(says(problems(frames), "frame 3: takes 2, but the batch completes in 3"));
}

TEST(Checker, FindsOverlappingFrames) {
  auto frames = kFigure2d;
  frames[1].start = "0.0", frames[1].end = "4";
  EXPECT_TRUE(says(problems(frames), "frame 1: starts at 0, before"));
}

TEST(Checker, FindsIdlingUnlessThePlanMayIdle) {
  auto frames = kFigure2d;
  frames[8].start = "19", frames[8].end = "20";
  EXPECT_TRUE(says(problems(frames), "frame 8: starts at 19, but a job is ready at 18"));
  EXPECT_EQ(problems(frames, "pbs.graph+idle"), "");
}

TEST(Checker, FindsMissingRepeatedAndUnknownJobs) {
  auto frames = kFigure2d;
  frames.pop_back();
  EXPECT_TRUE(says(problems(frames), "job t1#4 never runs"));
  frames = kFigure2d;
  frames[8].jobs[0].second = 3;
  EXPECT_TRUE(says(problems(frames), "frame 8: job t1#3 has run already"));
  frames[8].jobs[0].second = 5;
  EXPECT_TRUE(says(problems(frames), "frame 8: there is no job t1#5"));
  frames[8].jobs[0].first = "t9";
  EXPECT_TRUE(says(problems(frames), "frame 8: there is no real-time task `t9`"));
}

TEST(Checker, FindsAJobThatHasNotArrived) {
  auto frames = kFigure2d;
  frames[0] = {"0", "1", {{"t1", 1}}};
  EXPECT_TRUE(says(problems(frames), "frame 0: job t1#1 arrives only at 4"));
  frames[0] = {"3", "4", {{"t1", 1}}};
  EXPECT_TRUE(says(problems(frames), "frame 0: job t1#1 arrives only at 4")) << "a unit early";
}

TEST(Checker, FindsATaskTwiceInABatch) {
  auto frames = kFigure2d;
  frames[0].jobs = {{"t1", 0}, {"t1", 0}};
  EXPECT_TRUE(says(problems(frames), "frame 0: a task is twice"));
}

TEST(Checker, FindsABatchThatIsNotAllowedOrDoesNotFit) {
  const System system = make(example_21(true));
  const auto check = [&](const char* first, const char* second) {
    const std::vector<FrameText> frames = {{"0", "8", {{first, 0}, {second, 0}}}};
    return check_text(kGraph, system, plan_text(frames, "pbs.graph", ""));
  };
  EXPECT_EQ(check("j2", "j1"), std::vector<std::string>());
  ASSERT_EQ(check("j1", "j2").size(), 1u);
  EXPECT_TRUE(says(check("j1", "j2")[0], "do not fit in this order"));
  SystemText text = example_21(true);
  text.batches.clear();
  const auto alone = check_text(kGraph, make(text),
                                plan_text({{"0", "8", {{"j2", 0}, {"j1", 0}}}}, "pbs.graph", ""));
  ASSERT_FALSE(alone.empty());
  EXPECT_TRUE(says(alone[0], "not allowed"));
}

TEST(Checker, RefusesWhatIsNoPlan) {
  const System system = make(figure_1());
  for (const char* text : {"{}", "{\"frames\": 1}", "{\"frames\": [1]}",
                           "{\"frames\": [{\"start\": 0, \"end\": 1, \"batch\": []}]}",
                           "{\"frames\": [{\"start\": 0, \"end\": 1, \"batch\": [1]}]}",
                           "{\"frames\": [{\"start\": 0, \"batch\": [{\"task\": \"t1\"}]}]}"}) {
    EXPECT_FALSE(check_text(kGraph, system, text).empty()) << text;
  }
}

TEST(Margin, IsAddedToEveryCompletionAndKnownToTheChecker) {
  const System system = make(example_21(false));
  const Verdict verdict = run(kEdfParallel, system, with({{"margin", "1.5"}}));
  ASSERT_EQ(verdict.status, Status::kSchedulable);
  EXPECT_EQ(*verdict.tasks[0].bound, Time::from_us(9500));
  EXPECT_EQ(check_own_plan(kEdfParallel, system, verdict), std::vector<std::string>());
  EXPECT_EQ(run(kGraph, system, with({{"margin", "2"}})).status, Status::kSchedulable);
  EXPECT_EQ(run(kGraph, system, with({{"margin", "2.001"}})).status, Status::kUnschedulable);
}

TEST(Margin, DoesNotMakeTheSlowdownFormulaRoundLess) {
  // 1.1 * 2 is 3 in the ticks of the file, which has whole times only: 3.5 with the margin,
  // not 2.7.
  const std::string slow = ", \"slowdown\": 1.1";
  const System system = make({{{"a", 12, 4, 2, 0, slow}, {"b", 12, 4, 2, 0, slow}}});
  const Verdict verdict = run(kEdfParallel, system, with({{"margin", "0.5"}}));
  ASSERT_EQ(verdict.status, Status::kSchedulable);
  EXPECT_EQ(*verdict.tasks[0].bound, Time::from_us(3500));
  EXPECT_EQ(run(kGraph, system, with({{"margin", "1"}})).status, Status::kSchedulable);
  EXPECT_EQ(run(kGraph, system, with({{"margin", "1.1"}})).status, Status::kUnschedulable);
}

}  // namespace
}  // namespace tactus::pbs::testing
