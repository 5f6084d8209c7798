#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"

/// Section 12: what these methods do not take, and what no method takes.
namespace tactus::dag {
namespace {

/// A file with the given elements and tasks, each on a line of its own (3 and 4).
std::string file(std::string_view elements, std::string_view tasks) {
  return "{ \"tactus\": 1, \"name\": \"x\", \"time_unit\": \"unit\",\n  \"platform\": "
         "{\n\"elements\": [" +
         std::string(elements) + "] },\n\"tasks\": [" + std::string(tasks) + "] }\n";
}

constexpr std::string_view kGpu = R"({ "name": "gpu", "kind": "gpu", "units": 4 })";
constexpr std::string_view kTask =
    R"({ "name": "t", "nodes": [ { "name": "a", "on": "gpu", "load": 2 } ] })";

Verdict analyze_text(const std::string& text, std::string_view method = "dag.balanced") {
  const ReadResult read = read_system(text);
  EXPECT_TRUE(read.system) << (read.diagnostics.empty() ? "" : read.diagnostics[0].message);
  return analyze(*find_method(method), *read.system);
}

void expect_refused(const std::string& text, std::string_view reason, std::uint32_t line) {
  for (std::string_view method :
       {"dag.balanced", "dag.greedy", "dag.greedy-unaware", "dag.graham"}) {
    const Verdict verdict = analyze_text(text, method);
    EXPECT_EQ(verdict.status, Status::kNotApplicable);
    EXPECT_EQ(verdict.reason, reason);
    EXPECT_EQ(verdict.at.line, line) << reason;
    EXPECT_TRUE(verdict.tasks.empty());
  }
}

TEST(TheDagMethods, NeedExactlyOneGpu) {
  expect_refused(file(R"({ "name": "cpu", "kind": "cpu", "units": 1 })",
                      R"({ "name": "t", "nodes": [ { "name": "a", "on": "cpu", "wcet": 1 } ] })"),
                 "the platform has no gpu; these methods need exactly one", 0);
  expect_refused(file(R"({ "name": "gpu", "kind": "gpu", "units": 4 },
                         { "name": "big", "kind": "gpu", "units": 8 })",
                      kTask),
                 "elements `gpu` and `big` are both gpus; these methods need exactly one: write a "
                 "file for each GPU, and add up the bounds of chains that use both",
                 4);
}

TEST(TheDagMethods, NeedExactlyOneTaskOnTheGpu) {
  expect_refused(file(std::string(kGpu) + R"(, { "name": "cpu", "kind": "cpu", "units": 1 })",
                      R"({ "name": "t", "nodes": [ { "name": "a", "on": "cpu", "wcet": 1 } ] })"),
                 "no task uses the gpu `gpu`; these methods need exactly one", 3);
  expect_refused(file(kGpu, std::string(kTask) + ",\n"
                                                 R"({ "name": "u", "best_effort": true, "nodes": [
                         { "name": "a", "on": "gpu", "load": 2 } ] })"),
                 "tasks `t` and `u` both use the gpu; these methods need it to be otherwise idle",
                 5);
}

TEST(TheDagMethods, NeedEveryNodeOnTheGpu) {
  expect_refused(file(std::string(kGpu) + R"(, { "name": "cpu", "kind": "cpu", "units": 1 })",
                      R"({ "name": "t", "nodes": [ { "name": "a", "on": "gpu", "load": 2 },
                           { "name": "b", "on": "cpu", "wcet": 2 } ] })"),
                 "task `t`: node `b` is on `cpu`; these methods need every node of the task on the "
                 "gpu `gpu`",
                 5);
  expect_refused(file(std::string(kGpu) + R"(, { "name": "dma", "kind": "copy", "units": 1 })",
                      R"({ "name": "t", "nodes": [ { "name": "a", "on": "gpu", "load": 2 },
                           { "name": "b", "on": "dma", "wcet": 2 },
                           { "name": "c", "on": "gpu", "load": 2 } ] })"),
                 "task `t`: node `b` is on `dma`; these methods take copies that come one after "
                 "another, each before all kernels or after all (Figure 1 of the paper)",
                 5);
}

TEST(TheDagMethods, NeedALoadAndNothingElse) {
  const auto with_node = [](std::string_view attributes) {
    return file(kGpu, R"({ "name": "t", "nodes": [ { "name": "a", "on": "gpu", "load": 2 },
                       { "name": "b", "on": "gpu")" +
                          std::string(attributes) + " } ] }");
  };
  expect_refused(with_node(""),
                 "task `t`: node `b` has no load; these methods need its time on one SM", 5);
  expect_refused(with_node(R"(, "wcet": 3, "parallelism": 2)"),
                 "task `t`: node `b` has no load; these methods need its time on one SM", 5);
  expect_refused(with_node(R"(, "wcet": 3)"),
                 "task `t`: node `b` says its time on the whole GPU only; this method divides the "
                 "SMs and must know its time on fewer: give `load`",
                 5);
  expect_refused(with_node(R"(, "times": [ { "units": 2, "wcet": 3 } ])"),
                 "task `t`: node `b` has `times`, measured as it is, but this method cuts kernels "
                 "into blocks of one SM: give `load`",
                 5);
  expect_refused(with_node(R"(, "load": 0)"),
                 "task `t`: node `b` has load 0; these methods need a load > 0", 5);
  expect_refused(
      with_node(R"(, "load": 3, "overhead": 1)"),
      "task `t`: node `b` has an overhead; the model has no such term, add it to the load", 5);
  expect_refused(
      with_node(R"(, "load": 3, "launch": 1)"),
      "task `t`: node `b` has a launch time; the model has no such term, add it to the load", 5);
}

TEST(TheDagMethods, SayEverythingThatIsMissingAtOnce) {
  const Verdict verdict =
      analyze_text(file(kGpu, R"({ "name": "t", "nodes": [ { "name": "a", "on": "gpu", "wcet": 2 },
                       { "name": "b", "on": "gpu", "load": 2, "launch": 1, "overhead": 1 },
                       { "name": "c", "on": "gpu", "times": [ { "units": 2, "wcet": 3 } ] } ] })"));
  ASSERT_EQ(verdict.obstacles.size(), 4u);
  EXPECT_EQ(verdict.obstacles[0].give, (std::vector<std::string_view>{"load"}));
  EXPECT_EQ(verdict.obstacles[0].name, "a");
  EXPECT_TRUE(verdict.obstacles[1].give.empty());
  EXPECT_EQ(verdict.obstacles[3].name, "c");
}

TEST(TheDagMethods, HaveTwoVariants) {
  const ReadResult read = read_system(file(kGpu, kTask));
  Options options;
  options.variant = "tight";
  const Verdict verdict = analyze(*find_method("dag.graham"), *read.system, options);
  EXPECT_EQ(verdict.status, Status::kNotApplicable);
}

TEST(TheDagMethods, IgnoreTasksThatNeverTouchTheGpuAndSaySo) {
  const Verdict verdict =
      analyze_text(file(std::string(kGpu) + R"(, { "name": "cpu", "kind": "cpu", "units": 1 })",
                        R"({ "name": "c", "period": 9, "priority": 1, "nodes": [
                             { "name": "a", "on": "cpu", "wcet": 1 } ] },)" +
                            std::string(kTask)));
  EXPECT_EQ(verdict.status, Status::kSchedulable);
  ASSERT_EQ(verdict.tasks.size(), 1u);
  EXPECT_EQ(verdict.tasks[0].task, 1u);
  ASSERT_EQ(verdict.warnings.size(), 2u);
  EXPECT_EQ(verdict.warnings[0], "task `c` does not use the gpu and was ignored");
}

TEST(TheDagMethods, ReportABoundWithoutADeadline) {
  const Verdict verdict = analyze_text(file(kGpu, kTask));
  EXPECT_EQ(verdict.status, Status::kSchedulable);
  EXPECT_EQ(verdict.tasks[0].bound, Time::from_ms(1));
  EXPECT_FALSE(verdict.tasks[0].deadline);
  ASSERT_EQ(verdict.warnings.size(), 1u);
  EXPECT_EQ(verdict.warnings[0],
            "task `t` has neither deadline nor period: there was nothing to check");
}

TEST(TheDagMethods, CheckTheSmallerOfDeadlineAndPeriod) {
  const auto timed = [](std::string_view timing) {
    return analyze_text(
        file(kGpu, R"({ "name": "t", )" + std::string(timing) +
                       R"(, "nodes": [ { "name": "a", "on": "gpu", "load": 20 } ] })"));
  };
  EXPECT_EQ(timed(R"("deadline": 5)").status, Status::kSchedulable);
  EXPECT_EQ(timed(R"("deadline": 4.999999)").status, Status::kUnschedulable);
  EXPECT_EQ(timed(R"("period": 4)").status, Status::kUnschedulable);
  const Verdict verdict = timed(R"("period": 4, "deadline": 8)");
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_EQ(verdict.tasks[0].deadline, Time::from_ms(4));
}

TEST(TheDagMethods, TakeOneOfTheFilesUnitAsTheShortestKernel) {
  const ReadResult read = read_system(
      R"({ "tactus": 1, "name": "x", "time_unit": "us", "platform": { "elements": [
           { "name": "gpu", "kind": "gpu", "units": 4 } ] }, "tasks": [
           { "name": "t", "nodes": [ { "name": "a", "on": "gpu", "load": 0.5 } ] } ] })");
  const Verdict verdict = analyze(*find_method("dag.balanced"), *read.system);
  EXPECT_EQ(verdict.tasks[0].bound, Time::from_us(1));
}

TEST(TheDagMethods, AreUndecidedBeyondTheRangeOfTime) {
  const std::string huge = R"({ "name": "t", "nodes": [
      { "name": "a", "on": "gpu", "load": 9e12 }, { "name": "b", "on": "gpu", "load": 9e12 } ] })";
  EXPECT_EQ(analyze_text(file(kGpu, huge)).status, Status::kUndecided);
}

TEST(TheReader, RefusesWhatIsWrongForEveryMethod) {
  const auto node = [](std::string_view attributes) {
    return file(kGpu, R"({ "name": "t", "nodes": [ { "name": "a", "on": "gpu")" +
                          std::string(attributes) + " } ] }");
  };
  const auto gpu = [](std::string_view attributes) {
    return file(R"({ "name": "gpu", "kind": "gpu")" + std::string(attributes) + " }", kTask);
  };
  const auto edges = [](std::string_view list) {
    return file(kGpu, R"({ "name": "t", "nodes": [ { "name": "a", "on": "gpu", "load": 2 },
        { "name": "b", "on": "gpu", "load": 2 } ], "edges": [)" +
                          std::string(list) + "] }");
  };
  const std::string bad[] = {
      gpu(""),
      gpu(R"(, "units": 0)"),
      gpu(R"(, "units": 2.5)"),
      gpu(R"(, "units": 4, "t_min": 0)"),
      gpu(R"(, "units": 4, "t_min": -1)"),
      node(R"(, "load": "3")"),
      node(R"(, "load": -3)"),
      node(R"(, "load": Infinity)"),
      node(R"(, "load": NaN)"),
      node(R"(, "load": 2, "load_min": 3)"),
      node(R"(, "load": 2, "load_min": -1)"),
      edges(R"(["a", "c"])"),
      edges(R"(["a", "a"])"),
      edges(R"(["a", "b"], ["a", "b"])"),
      edges(R"(["a", "b"], ["b", "a"])"),
      file(kGpu, R"({ "name": "t", "nodes": [ { "name": "a", "on": "gpu", "load": 2 },
                     { "name": "a", "on": "gpu", "load": 2 } ] })"),
      file(kGpu, R"({ "name": "t", "nodes": [] })"),
      R"({ "tactus": 2, "name": "x", "platform": { "elements": [] }, "tasks": [] })",
  };
  for (const std::string& text : bad) {
    const ReadResult read = read_system(text);
    EXPECT_FALSE(read.system) << text;
    ASSERT_FALSE(read.diagnostics.empty()) << text;
    EXPECT_TRUE(read.diagnostics[0].at.known()) << text;
  }
}

}  // namespace
}  // namespace tactus::dag
