#include <fmt/core.h>
#include <gtest/gtest.h>

#include "random_systems.hpp"
#include "systems.hpp"
#include "tactus/methods/pbs/kernel_time.hpp"

/// What the methods make of a task that is described in other words than one `wcet`: a chain of
/// kernels, a load, a measured curve.
namespace tactus::pbs::testing {
namespace {

const Method* const kMethods[] = {&kGraph, &kEdfSerial, &kEdfParallel};

std::string file(const std::string& nodes, const std::string& more = {}) {
  return fmt::format(
      R"({{"tactus": 1, "name": "x", "time_unit": "unit",
          "platform": {{"elements": [{{"name": "cpu", "kind": "cpu", "units": 1}},
                                     {{"name": "gpu", "kind": "gpu", "units": 4}}]}},
          "tasks": [{{"name": "a", "period": 20, "nodes": [{}]}},
                    {{"name": "b", "period": 20, "nodes": [
                       {{"name": "k", "on": "gpu", "wcet": 4}}]}}]{}}})",
      nodes, more);
}

std::string node(const std::string& name, const std::string& more) {
  return fmt::format(R"({{"name": "{}", "on": "gpu", {}}})", name, more);
}

Time time_of_a(const std::string& nodes) {
  const System system = read(file(nodes));
  return kernel_time(system, system.tasks[0])->wcet;
}

TEST(KernelTime, IsThatOfTheWholeGpuInWhateverWords) {
  EXPECT_EQ(time_of_a(node("k", R"("wcet": 3)")), Time::from_ms(3));
  EXPECT_EQ(time_of_a(node("k", R"("wcet": 3, "parallelism": 2)")), Time::from_ms(3));
  EXPECT_EQ(time_of_a(node("k", R"("load": 13, "overhead": 1)")), Time::from_ms(4));
  EXPECT_EQ(time_of_a(node("k", R"("times": [{"units": 2, "wcet": 5}, {"units": 4, "wcet": 6}])")),
            Time::from_ms(6));
  EXPECT_EQ(time_of_a(node("k", R"("times": [{"units": 2, "wcet": 5}, {"units": 3, "wcet": 6}])")),
            Time::from_ms(5));
  EXPECT_EQ(time_of_a(node("k", R"("wcet": 3)") + "," + node("l", R"("load": 8)")),
            Time::from_ms(5));
}

TEST(KernelTime, ThatIsDerivedIsTold) {
  const System system = read(
      file(node("k", R"("load": 8)") + "," + node("l", R"("times": [{"units": 2, "wcet": 5}])")));
  for (const Method* method : kMethods) {
    const Verdict verdict = run(*method, system);
    EXPECT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
    ASSERT_EQ(verdict.notes.size(), 2U) << method->id;
    EXPECT_NE(verdict.notes[0].find("node `k`"), std::string::npos) << verdict.notes[0];
    EXPECT_EQ(verdict.notes[1], "task `a`: node `l`: time of 2 of 4 units; confine it to 2 units");
  }
}

/// The same system with the kernel of each task in two parts.
System in_two_kernels(System system, Random& random) {
  for (Task& task : system.tasks) {
    Node& first = task.nodes.front();
    if (*first.wcet < Time::from_ms(2) || random.chance(0.5)) continue;
    Node second = first;
    second.name.push_back('2');
    const Time length = Time::from_ms(random.integer(1, first.wcet->ns() / 1'000'000 - 1));
    first.wcet = length;
    second.wcet = *second.wcet - length;
    task.nodes.push_back(std::move(second));
    task.graph = Graph::chain(2);
  }
  return system;
}

TEST(ChainOfKernels, IsOneKernelOfTheirSum) {
  Random random(91, 0);
  int split = 0, feasible = 0;
  for (int i = 0; i < scaled(400); ++i) {
    const System whole = make(random_system(random));
    if (whole.tasks[0].nodes[0].blocks || whole.tasks[0].nodes[0].slowdown || whole.interference) {
      continue;  // the slowdown of two parts is rounded up twice
    }
    const System parts = in_two_kernels(whole, random);
    for (const Method* method : kMethods) {
      const Verdict a = run(*method, whole), b = run(*method, parts);
      ASSERT_EQ(a.status, b.status) << b.reason;
      if (a.status != Status::kSchedulable) continue;
      ++feasible;
      ASSERT_EQ(shown(whole, table_of(a)), shown(parts, table_of(b)));
      ASSERT_TRUE(check_own_plan(*method, parts, b).empty());
    }
    for (const Task& task : parts.tasks) split += task.nodes.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(split, 20);
  EXPECT_GT(feasible, 20);
}

TEST(ChainOfKernels, IsSlowedDownKernelByKernel) {
  const auto bound_of_b = [](const std::string& nodes) {
    const System system =
        read(file(nodes, R"(, "interference": {"model": "slowdown", "factor": 1.5})"));
    return *run(kEdfParallel, system).tasks[1].bound;
  };
  // 1.5 * 5 = 7.5, up to 8; in two kernels 1.5 * 3 and 1.5 * 2, up to 5 and 3.
  EXPECT_EQ(bound_of_b(node("k", R"("wcet": 5)")), Time::from_ms(8));
  EXPECT_EQ(bound_of_b(node("k", R"("wcet": 3)") + "," + node("l", R"("wcet": 2)")),
            Time::from_ms(8));
  EXPECT_EQ(bound_of_b(node("k", R"("wcet": 3, "slowdown": 2)") + "," + node("l", R"("wcet": 2)")),
            Time::from_ms(9));
}

TEST(ChainOfKernels, IsNamedByItsTaskInBatches) {
  const std::string nodes = node("k", R"("wcet": 3)") + "," + node("l", R"("wcet": 2)");
  const auto with = [&](int completion) {
    return read(file(
        nodes,
        fmt::format(R"(, "batches": [{{"tasks": ["a", "b"], "completion": {}}}])", completion)));
  };
  EXPECT_EQ(shown(with(6), table_of(run(kEdfParallel, with(6)))), "a+b [0,6]");
  const Verdict refused = run(kGraph, with(4));
  EXPECT_EQ(refused.status, Status::kNotApplicable);
  EXPECT_EQ(refused.reason, "batches[0]: completion is below the time of task `a` alone");
}

TEST(ChainOfKernels, HasNoBlocks) {
  const std::string nodes = node("k", R"("wcet": 3, "blocks": 2, "threads": 8)") + "," +
                            node("l", R"("wcet": 2, "blocks": 2, "threads": 8)");
  EXPECT_EQ(run(kGraph, read(file(nodes))).reason,
            "task `a` has blocks, but several kernels; pbs places the blocks of one");
}

TEST(Obstacles, AreToldAllAtOnce) {
  const System system = read(
      R"({"tactus": 1, "name": "x", "time_unit": "unit",
          "platform": {"elements": [{"name": "cpu", "kind": "cpu", "units": 1},
                                    {"name": "gpu", "kind": "gpu", "units": 4}]},
          "tasks": [{"name": "a", "deadline": 20, "nodes": [{"name": "k", "on": "gpu"}]},
                    {"name": "b", "period": 20, "deadline": 30, "nodes": [
                       {"name": "c", "on": "cpu", "wcet": 1},
                       {"name": "k", "on": "gpu", "wcet": 4, "launch": 1}]}]})");
  for (const Method* method : kMethods) {
    const Verdict verdict = run(*method, system);
    EXPECT_EQ(verdict.status, Status::kNotApplicable);
    std::string all;
    for (const Obstacle& obstacle : verdict.obstacles) all += obstacle.reason + "\n";
    EXPECT_EQ(all,
              "task `a` has no period; pbs needs periodic tasks\n"
              "task `a`: node `k` has no time; pbs needs `wcet`, `load` or `times`\n"
              "task `b`: deadline exceeds period; pbs needs constrained deadlines: cut it into "
              "tasks that each end within a period, and require the rest of a chain over them\n"
              "task `b`: node `c` is not on the gpu; pbs takes one kernel, or a chain of kernels\n"
              "task `b`: node `k` has a launch time; fold it into wcet and completions, which are "
              "measured from submission to synchronise\n");
  }
}

}  // namespace
}  // namespace tactus::pbs::testing
