#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tests/methods/rtgpu/builder.hpp"

/// What the methods do not cover, with the place in the file, and what
/// the reader refuses for everybody.
namespace tactus::rtgpu {
namespace {

constexpr std::string_view kElements =
    R"({"name":"cpu","kind":"cpu","units":1},{"name":"copy","kind":"copy","units":1},
       {"name":"gpu","kind":"gpu","units":4})";
constexpr std::string_view kTask =
    R"({"name":"a","period":20,"nodes":[{"name":"c","on":"cpu","wcet":2},
       {"name":"m","on":"copy","wcet":1},{"name":"g","on":"gpu","load":8}]})";

std::string file(std::string_view tasks, std::string_view elements = kElements) {
  return fmt::format(R"({{"tactus":1,"name":"x","time_unit":"ms",
                        "platform":{{"elements":[{}]}},"tasks":[{}]}})",
                     elements, tasks);
}

struct Wrong {
  std::string text, complaint;
};

class Refused : public ::testing::TestWithParam<Wrong> {};

TEST_P(Refused, ByEveryMethodWithItsPlace) {
  const ReadResult read = read_system(GetParam().text);
  ASSERT_TRUE(read.system) << (read.diagnostics.empty() ? "" : read.diagnostics[0].message);
  for (std::string_view method : {"rtgpu", "rtgpu.greedy", "self-suspension", "stgm"}) {
    const Verdict verdict = analyze(*find_method(method), *read.system);
    EXPECT_EQ(verdict.status, Status::kNotApplicable);
    EXPECT_NE(verdict.reason.find(GetParam().complaint), std::string::npos) << verdict.reason;
    EXPECT_TRUE(verdict.at.known());
  }
}

std::vector<Wrong> refused() {
  const auto task = [](std::string_view fields, std::string_view nodes) {
    return fmt::format(R"({{"name":"a",{},"nodes":[{}]}})", fields, nodes);
  };
  const std::string cpu = R"({"name":"c","on":"cpu","wcet":2})";
  const std::string timing = R"("period":20)";
  const auto with_edges = [&](std::string_view edges) {
    return file(fmt::format(
        R"({{"name":"a","period":20,"nodes":[{0},{{"name":"d","on":"cpu","wcet":1}},
           {{"name":"e","on":"cpu","wcet":1}}],"edges":[{1}]}})",
        R"({"name":"c","on":"cpu","wcet":2})", edges));
  };
  const auto elements = [](std::string_view more) { return fmt::format("{},{}", kElements, more); };
  const std::string many_cores =
      R"({"name":"cpu","kind":"cpu","units":2},{"name":"gpu","kind":"gpu","units":4,"lanes":64})";
  return {
      {file(task(R"("deadline":20)", cpu)), "task `a` has no period"},
      {file(task(R"("period":20,"deadline":21)", cpu)),
       "task `a` has a deadline beyond its period"},
      {file(task(timing, R"({"name":"g","on":"gpu"})")),
       "node `g` has no time; rtgpu needs `times`, `load`, or `wcet` and `parallelism`"},
      {file(task(timing, R"({"name":"detect","on":"gpu","wcet":9})")),
       "node `detect` says its time on the whole GPU only; this method divides the SMs and must "
       "know its time on fewer: give `times`, `load` or `parallelism`"},
      {file(task(timing, R"({"name":"c","on":"cpu"})")), "node `c` has no wcet"},
      {file(task(timing, R"({"name":"m","on":"copy"})")), "node `m` has no wcet"},
      {file(task(timing, R"({"name":"c","on":"cpu","wcet":2,"launch":1})")),
       "node `c` has a launch time, but is on the cpu"},
      {with_edges(R"(["c","d"],["c","e"])"),
       "task `a`: node `c` has two successors; rtgpu needs a chain"},
      {with_edges(R"(["c","e"],["d","e"])"), "node `e` has two predecessors"},
      {with_edges(R"(["c","d"])"), "node `e` is not connected with node `c`"},
      {file(kTask, elements(R"({"name":"cpu2","kind":"cpu","units":1})")),
       "element `cpu2` is a second cpu element"},
      {file(task(timing, R"({"name":"g","on":"gpu","load":8},{"name":"h","on":"gpu2","load":8})"),
            elements(R"({"name":"gpu2","kind":"gpu","units":4})")),
       "node `h` is on a second gpu element, `gpu2`; rtgpu takes one: write a file for each GPU, "
       "and add up the bounds of chains that use both"},
      {file(kTask, elements(R"({"name":"copies","kind":"copy","units":2})")),
       "element `copies` has 2 units"},
      {file(task(R"("period":20,"core":1)", R"({"name":"g","on":"gpu","wcet":8,"parallelism":65})"),
            many_cores),
       "node `g` is 65 lanes wide, but a unit of element `gpu` has 64"},
      {file(task(timing, cpu), many_cores), "task `a` has no core"},
      {file(task(R"("period":20,"priority":1)", cpu) +
            R"(,{"name":"b","period":30,"nodes":[{"name":"c","on":"cpu","wcet":2}]})"),
       "1 of 2 real-time tasks have no `priority` (`b`)"},
      {file(task(timing, R"({"name":"c","on":"cpu","wcet":0},{"name":"g","on":"gpu","load":0})")),
       "task `a`: every segment is zero"},
  };
}

INSTANTIATE_TEST_SUITE_P(Systems, Refused, ::testing::ValuesIn(refused()));

class Unreadable : public ::testing::TestWithParam<Wrong> {};

TEST_P(Unreadable, IsRefusedByTheReader) {
  const ReadResult read = read_system(GetParam().text);
  EXPECT_FALSE(read.system);
  ASSERT_FALSE(read.diagnostics.empty());
  EXPECT_NE(read.diagnostics[0].message.find(GetParam().complaint), std::string::npos)
      << read.diagnostics[0].message;
}

std::vector<Wrong> unreadable() {
  const auto task = [](std::string_view fields, std::string_view node) {
    return file(fmt::format(R"({{"name":"a",{},"nodes":[{{"name":"n",{}}}]}})", fields, node));
  };
  const std::string cpu = R"("on":"cpu","wcet":2)";
  return {
      {task(R"("period":0)", cpu), "period"},
      {task(R"("period":20,"deadline":-1)", cpu), "deadline"},
      {task(R"("period":20)", R"("on":"cpu","wcet":-2)"), "wcet"},
      {task(R"("period":20)", R"("on":"cpu","wcet":2,"bcet":3)"), "`bcet` (3) exceeds `wcet` (2)"},
      {task(R"("period":20)", R"("on":"gpu","load":2,"load_min":3)"), "`load_min` (3) exceeds"},
      {task(R"("period":20)", R"("on":"gpu","load":2,"overhead":3)"), "`overhead` (3) exceeds"},
      {task(R"("period":20)", R"("on":"gpu","load":2,"interleave":0.9)"), "interleave"},
      {task(R"("period":20)", R"("on":"gpx","wcet":2)"), "gpx"},
      {task(R"("period":20,"core":0)", cpu), "core"},
      {file(R"({"name":"a","period":20,"nodes":[{"name":"c","on":"cpu","wcet":2},
               {"name":"d","on":"cpu","wcet":2}],"edges":[["c","d"],["d","c"]]})"),
       "cycle"},
      {file(R"({"name":"a","period":20,"priority":1,"nodes":[{"name":"c","on":"cpu","wcet":2}]},
               {"name":"b","period":20,"priority":1,"nodes":[{"name":"c","on":"cpu","wcet":2}]})"),
       "priorities must be unique"},
  };
}

INSTANTIATE_TEST_SUITE_P(Files, Unreadable, ::testing::ValuesIn(unreadable()));

TEST(Obstacles, AreToldAllAtOnce) {
  const ReadResult read = read_system(file(
      R"({"name":"a","deadline":20,"nodes":[{"name":"c","on":"cpu"},{"name":"g","on":"gpu","wcet":9}]},
         {"name":"b","period":20,"deadline":30,"nodes":[{"name":"g","on":"gpu","load":9}]})"));
  ASSERT_TRUE(read.system);
  const Verdict verdict = analyze(*find_method("rtgpu"), *read.system);
  std::string all;
  for (const Obstacle& obstacle : verdict.obstacles) all += obstacle.reason + "\n";
  EXPECT_EQ(
      all,
      "task `a` has no period; rtgpu needs one\n"
      "task `a`: node `c` has no wcet; rtgpu needs one\n"
      "task `a`: node `g` says its time on the whole GPU only; this method divides the SMs "
      "and must know its time on fewer: give `times`, `load` or `parallelism`\n"
      "task `b` has a deadline beyond its period; rtgpu needs constrained deadlines: cut it into "
      "tasks that each end within a period, and require the rest of a chain over them\n");
}

TEST(Stgm, RefusesTasksOnSeveralCoresWhichTheOthersTake) {
  const System system =
      testing::Builder(4, 2).task("a", 20).core(1).copy(2).task("b", 30).core(2).cpu(2).build();
  const Verdict verdict = analyze(*find_method("stgm"), system);
  EXPECT_EQ(verdict.status, Status::kNotApplicable);
  EXPECT_EQ(verdict.reason, "tasks `a` and `b` are on different cores; stgm takes one");
  EXPECT_EQ(analyze(*find_method("rtgpu"), system).status, Status::kSchedulable);
  EXPECT_EQ(analyze(*find_method("self-suspension"), system).status, Status::kSchedulable);
}

TEST(Baselines, HaveNoTightVariant) {
  const System system = testing::Builder(4).task("a", 20).cpu(2).build();
  for (std::string_view method : {"self-suspension", "stgm"}) {
    EXPECT_EQ(analyze(*find_method(method), system, testing::with("tight")).status,
              Status::kNotApplicable);
  }
}

TEST(AllocationOption, RefusesWhatCannotBe) {
  const System system = testing::Builder(6)
                            .task("a", 90)
                            .kernel(8, 4)
                            .task("b=2,c", 95)
                            .rigid(8, 4, 2)
                            .task("calm", 99)
                            .cpu(1)
                            .best_effort("idle")
                            .copy(1)
                            .build();
  const auto reason = [&](std::string allocation) {
    const Verdict verdict =
        analyze(*find_method("rtgpu"), system, testing::with("safe", std::move(allocation)));
    return verdict.status == Status::kNotApplicable ? verdict.reason
                                                    : std::string(to_string(verdict.status));
  };
  EXPECT_EQ(reason("a=1,b=2,c=2"), "schedulable");  // names may hold anything
  EXPECT_EQ(reason("a=1,b=2,c=2,calm=0"), "schedulable");
  EXPECT_EQ(reason("b=2,c=3,a=3"), "schedulable");
  EXPECT_EQ(reason("a=0,b=2,c=2"), "--allocation: task `a` is given 0 SMs, but needs at least 1");
  EXPECT_EQ(reason("a=1,b=2,c=1"),
            "--allocation: task `b=2,c` is given 1 SMs, but needs at least 2");
  EXPECT_EQ(reason("a=1"), "--allocation: task `b=2,c` has kernels, but is given no SMs");
  EXPECT_EQ(reason("a=4,b=2,c=3"), "--allocation: 7 SMs are given, but the gpu has 6");
  EXPECT_EQ(reason("calmm=1"),
            "--allocation: expected TASK=SMS, but there is no task `calmm`; did you mean `calm`?");
  EXPECT_EQ(reason("a=1,a=2"), "--allocation: task `a` is given twice");
  EXPECT_EQ(reason("a=1,"), "--allocation: expected TASK=SMS,TASK=SMS,... but a task is missing");
  EXPECT_EQ(reason("a"), "--allocation: expected TASK=SMS, but task `a` has no =");
  EXPECT_EQ(reason("a=x"), "--allocation: task `a` needs a whole number of SMs");
  EXPECT_EQ(reason("a=-1"), "--allocation: task `a` needs a whole number of SMs");
  EXPECT_EQ(reason("a=1.5,b=2,c=2"), "--allocation: task `a` needs a whole number of SMs");
  EXPECT_EQ(reason("a=99999999999999999999"), "--allocation: task `a` needs a whole number of SMs");
  EXPECT_EQ(reason("idle=1"), "--allocation: task `idle` is best effort and gets no SMs");
}

}  // namespace
}  // namespace tactus::rtgpu
