#include <fmt/core.h>

#include "tactus/model/reader.hpp"
#include "tests/methods/gang/support.hpp"

/// What is refused, by whom, with which words and where.
namespace tactus::gang {
namespace {

constexpr const char* kAll[] = {"gang.wc", "gang.swc", "gang.rm-he", "gang.wc-he"};

std::string with(std::string_view node, std::string_view task = R"("period":10)",
                 std::string_view gpu = R"("units":2,"lanes":32)") {
  return fmt::format(R"({{"tactus":1,"name":"x","time_unit":"unit","platform":{{"elements":[
{{"name":"cpu","kind":"cpu","units":4}},{{"name":"gpu","kind":"gpu",{}}}]}},"tasks":[
{{"name":"a",{},"nodes":[
{{"name":"k",{}}}]}}]}})",
                     gpu, task, node);
}

void expect_refusal(const std::string& text, std::string_view reason, std::uint32_t line) {
  const System system = read(text);
  for (const char* method : kAll) {
    const Verdict verdict = run(method, system);
    EXPECT_EQ(verdict.status, Status::kNotApplicable) << method;
    EXPECT_EQ(verdict.reason, reason) << method;
    EXPECT_EQ(verdict.at.line, line) << method;
  }
}

TEST(Refused, IsAGangWiderThanOneUnit) {
  expect_refusal(with(R"("on":"gpu","wcet":1,"parallelism":33)"),
                 "task `a`: node `k` is a gang of 33 and does not fit one unit of `gpu` (32 lanes)",
                 4);
  expect_refusal(with(R"("on":"cpu","wcet":1,"parallelism":5)"),
                 "task `a`: node `k` is a gang of 5 and does not fit `cpu` (4 units)", 4);
}

TEST(Refused, IsABlockThatTakesMoreThanAnSmHas) {
  const char* gpu = R"("units":2,"lanes":32,"sm":{"threads":64,"registers":1024,
    "shared_memory":100,"blocks":4})";
  // 32 * 16 * 65 / 1024 = 32.5 lanes
  expect_refusal(with(R"("on":"gpu","wcet":1,"threads":16,"registers":65)", R"("period":10)", gpu),
                 "task `a`: node `k` is a gang of 33 and does not fit one unit of `gpu` (32 lanes)",
                 5);
  // One byte too many: 32 * 101 / 100
  expect_refusal(
      with(R"("on":"gpu","wcet":1,"parallelism":1,"shared_memory":101)", R"("period":10)", gpu),
      "task `a`: node `k` is a gang of 33 and does not fit one unit of `gpu` (32 lanes)", 5);
  // Far beyond 64 bits.
  expect_refusal(
      with(R"("on":"gpu","wcet":1,"threads":2000000000,"registers":2000000000)", R"("period":10)",
           R"("units":2,"lanes":2000000000,"sm":{"registers":1})"),
      "task `a`: node `k` is a gang of 9223372036854775807 and does not fit one unit of `gpu` "
      "(2000000000 lanes)",
      4);
}

TEST(Accepted, IsTheDominantShareOfAnSm) {
  const auto width = [](std::string_view node) {
    const char* gpu = R"("units":2,"lanes":32,"sm":{"threads":64,"registers":1024,
      "shared_memory":100,"blocks":4})";
    return prepare_all(read(with(node, R"("period":10)", gpu))).front().dag.nodes[0].width;
  };
  EXPECT_EQ(width(R"("on":"gpu","wcet":1,"parallelism":1)"), 8) << "a slot of four";
  EXPECT_EQ(width(R"("on":"gpu","wcet":1,"threads":20)"), 20) << "the threads themselves";
  EXPECT_EQ(width(R"("on":"gpu","wcet":1,"parallelism":2,"threads":20)"), 10) << "20 of 64";
  EXPECT_EQ(width(R"("on":"gpu","wcet":1,"threads":16,"registers":60)"), 30) << "960 of 1024";
  EXPECT_EQ(width(R"("on":"gpu","wcet":1,"parallelism":1,"shared_memory":50)"), 16) << "half";
  EXPECT_EQ(width(R"("on":"cpu","wcet":1,"threads":20)"), 1) << "ignored on a cpu";
}

constexpr const char* kUnitsOnly = R"("units":8)";

TEST(Refused, IsANodeWithoutATime) {
  expect_refusal(with(R"("on":"cpu")"), "task `a`: node `k` has no wcet; gang needs it", 4);
  expect_refusal(with(R"("on":"gpu","threads":4)"), "task `a`: node `k` has no wcet; gang needs it",
                 4);
  expect_refusal(with(R"("on":"gpu")", R"("period":10)", kUnitsOnly),
                 "task `a`: node `k` has no time; gang needs `times`, or `wcet` with `parallelism`",
                 4);
  expect_refusal(with(R"("on":"gpu","load":4)"),
                 "task `a`: node `k` is malleable, which rtgpu can use; gang needs its wcet on a "
                 "fixed number of units",
                 4);
}

/// Rule 1: the time of the whole GPU is not the time on one SM, which was the old default.
TEST(Refused, IsAKernelThatSaysItsTimeOnTheWholeGpuOnly) {
  expect_refusal(with(R"("on":"gpu","wcet":9)", R"("period":10)", kUnitsOnly),
                 "task `a`: node `k` says its time on the whole GPU only; this method divides the "
                 "SMs and must know its time on fewer: give `times` or `parallelism`",
                 4);
  expect_refusal(with(R"("on":"gpu","wcet":9,"bcet":1,"blocks":4)"),
                 "task `a`: node `k` says its time on the whole GPU only; this method divides the "
                 "SMs and must know its time on fewer: give `threads` or `parallelism`",
                 4);
}

/// Rules 1 and 2: where there is nothing to divide, or the width is written, 1 included.
TEST(Accepted, IsAStatedWidthAndAGpuOfOneUnit) {
  const auto width = [](std::string_view node, std::string_view gpu) {
    return prepare_all(read(with(node, R"("period":10)", gpu))).front().dag.nodes[0].width;
  };
  EXPECT_EQ(width(R"("on":"gpu","wcet":9)", R"("units":1)"), 1);
  EXPECT_EQ(width(R"("on":"gpu","wcet":9,"parallelism":1)", kUnitsOnly), 1);
  EXPECT_EQ(width(R"("on":"gpu","wcet":9,"parallelism":3)", kUnitsOnly), 3);
  EXPECT_EQ(width(R"("on":"gpu","wcet":9,"threads":3)", R"("units":2,"lanes":32)"), 3);
  EXPECT_EQ(width(R"("on":"cpu","wcet":9)", kUnitsOnly), 1) << "a cpu node is sequential";
}

/// Beside `times`, these say nothing to this family.
TEST(Accepted, AreTimesWithAWholeTimeOverheadBlocksAndThreadsBesideThem) {
  const auto nodes = [](std::string_view more) {
    return tasks_of(read(with(fmt::format(R"("on":"gpu","times":[{{"units":2,"wcet":5,"bcet":4}},
                                          {{"units":8,"wcet":2}}]{})",
                                          more),
                              R"("period":10)", kUnitsOnly)))
        .at(0)
        .pieces;
  };
  const auto plain = nodes("");
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_TRUE(plain[0].moldable);
  EXPECT_EQ(plain[0].choices, (std::vector<TimesEntry>{{2, Time::from_ms(5), Time::from_ms(4), {}},
                                                       {8, Time::from_ms(2), Time(), {}}}));
  const auto more = nodes(R"(,"wcet":1,"overhead":1,"interleave":2,"blocks":4,"threads":64)");
  EXPECT_EQ(more[0].choices, plain[0].choices);
  EXPECT_EQ(more[0].copies, 1);
}

TEST(Refused, AreTimesWhereUnitsHaveLanes) {
  expect_refusal(with(R"("on":"gpu","times":[{"units":1,"wcet":5}])"),
                 "task `a`: node `k` has `times`, which count units of `gpu`, but a gang must fit "
                 "one unit (32 lanes)",
                 4);
}

/// Rule 3: a CPU node of width 1 before the kernel, once, whatever its blocks.
TEST(ALaunchTime, IsANodeOnTheOnlyCpuBeforeTheKernel) {
  const GangTask task = tasks_of(read(R"({"tactus":1,"name":"x","time_unit":"unit","platform":{
    "elements":[{"name":"gpu","kind":"gpu","units":2,"lanes":32},
                {"name":"cpu","kind":"cpu","units":4}]},
    "tasks":[{"name":"a","period":10,"nodes":[{"name":"s","on":"cpu","wcet":1},
      {"name":"k","on":"gpu","wcet":3,"bcet":2,"threads":8,"blocks":4,"launch":2.5},
      {"name":"t","on":"cpu","wcet":1}]}]})"))
                            .at(0);
  ASSERT_EQ(task.pieces.size(), 4u);
  const Piece& launch = task.pieces[1];
  EXPECT_TRUE(launch.launch);
  EXPECT_EQ(launch.node, 1u);
  EXPECT_EQ(launch.on, 1u);
  EXPECT_EQ(launch.copies, 1);
  EXPECT_EQ(launch.choices, (std::vector<TimesEntry>{{1, Time::from_us(2500), Time(), {}}}));
  EXPECT_EQ(task.pieces[2].copies, 4);
  EXPECT_EQ(task.graph.edges(), (std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(Refused, IsALaunchTimeWithoutAGpuOrWithoutExactlyOneCpu) {
  expect_refusal(with(R"("on":"cpu","wcet":1,"launch":2.5)"),
                 "task `a`: node `k` has a launch time of 2.5, but is not on a GPU; give the CPU "
                 "part its own node",
                 4);
  System none = read(with(R"("on":"gpu","wcet":1,"threads":1,"launch":2.5)"));
  none.platform.elements[0].kind = ElementKind::kCopy;
  System two = read(with(R"("on":"gpu","wcet":1,"threads":1,"launch":2.5)"));
  two.platform.elements.push_back(two.platform.elements[0]);
  two.platform.elements.back().name = "more";
  for (const char* method : kAll) {
    EXPECT_EQ(run(method, none).reason,
              "task `a`: node `k` has a launch time of 2.5, which needs exactly one cpu element to "
              "run on, and there is none; give the CPU part its own node");
    EXPECT_EQ(run(method, two).reason,
              "task `a`: node `k` has a launch time of 2.5, which needs exactly one cpu element to "
              "run on, and there are 2; give the CPU part its own node");
  }
}

/// Everything at once, so that nobody has to ask again after every repair.
TEST(Refused, IsEverythingAtOnce) {
  const System system = read(R"({"tactus":1,"name":"x","platform":{"elements":[
    {"name":"cpu","kind":"cpu","units":4},{"name":"gpu","kind":"gpu","units":8}]},"tasks":[
    {"name":"a","nodes":[{"name":"j","on":"gpu","wcet":1},{"name":"k","on":"gpu","load":4}]},
    {"name":"b","period":10,"nodes":[{"name":"l","on":"cpu"},{"name":"m","on":"gpu","wcet":1}]}]})");
  std::vector<std::string> missing;
  for (const Obstacle& obstacle : run("gang.swc", system).obstacles) {
    std::string give;
    for (std::string_view attribute : obstacle.give) give.append(1, ' ').append(attribute);
    missing.push_back(obstacle.name + give);
  }
  EXPECT_EQ(missing, (std::vector<std::string>{"a period", "j times parallelism", "k wcet",
                                               "k parallelism", "l wcet", "m times parallelism"}));
}

TEST(Refused, IsATaskWithoutPeriodOrWithALateDeadline) {
  expect_refusal(with(R"("on":"cpu","wcet":1)", R"("deadline":5)"),
                 "task `a` has no period; gang needs one", 3);
  expect_refusal(
      with(R"("on":"cpu","wcet":1)", R"("period":10,"deadline":11)"),
      "task `a` has a deadline of 11, which exceeds its period 10; gang needs D <= T: cut it into "
      "tasks that each end within a period, and require the rest of a chain over them",
      3);
}

TEST(Refused, IsAFileWithoutRealTimeTasks) {
  expect_refusal(with(R"("on":"cpu","wcet":1)", R"("best_effort":true)"),
                 "there is no real-time task to analyse", 0);
}

TEST(Refused, ByTheLockingBaselinesAreCpuGangsAndTwoCpus) {
  const System gang = read(with(R"("on":"cpu","wcet":1,"parallelism":2)"));
  const System two = read(with(R"("on":"cpu","wcet":1)", R"("period":10)", R"("units":1)"));
  System second = two;
  second.platform.elements[1].kind = ElementKind::kCpu;
  System none = two;
  none.platform.elements[0].kind = ElementKind::kCopy;
  for (const char* method : {"gang.rm-he", "gang.wc-he"}) {
    EXPECT_EQ(
        run(method, gang).reason,
        "task `a`: node `k` is a gang of 2 on `cpu`; the locking baselines need sequential cpu "
        "nodes");
    EXPECT_EQ(run(method, gang).at.line, 4u);
    EXPECT_EQ(run(method, second).reason,
              "element `gpu` is a second cpu element; the locking baselines need exactly one");
    EXPECT_EQ(run(method, none).reason,
              "there is no cpu element; the locking baselines need exactly one");
  }
  EXPECT_EQ(run("gang.wc", gang).status, Status::kSchedulable);
  EXPECT_EQ(run("gang.wc", none).status, Status::kSchedulable);
}

TEST(BestEffortTasks, TakeNoPart) {
  System system = read(with(R"("on":"cpu","wcet":1)"));
  Task other = system.tasks[0];
  other.name.push_back('2');
  other.best_effort = true;
  other.nodes[0].wcet.reset();  // would be refused in a real-time task
  system.tasks.push_back(other);
  for (const char* method : kAll) EXPECT_EQ(run(method, system).tasks.size(), 1u);
}

TEST(Options, WithoutSenseAreRefused) {
  const System system = read(with(R"("on":"cpu","wcet":1)"));
  EXPECT_EQ(run("gang.wc", system, {{"delta", "guess"}}).reason,
            "--delta must be one of dp|exact, got `guess`");
  EXPECT_EQ(run("gang.wc", system, {{"path-budget", "0"}}).reason,
            "--path-budget must be a count of at least 1, got `0`");
  EXPECT_EQ(run("gang.swc", system, {{"solver", "x"}}).status, Status::kNotApplicable);
  EXPECT_EQ(run("gang.rm-he", system, {{"k", "0"}}).status, Status::kNotApplicable);
  EXPECT_EQ(run("gang.wc-he", system, {{"requests", "5.6.1"}}).status, Status::kNotApplicable);
}

/// The reader's business, before any method sees the file.
TEST(Malformed, FilesAreRefusedByTheReader) {
  const auto refused = [](const std::string& text) {
    const ReadResult result = read_system(text);
    return !result.system.has_value() && !result.diagnostics.empty() &&
           result.diagnostics[0].at.known();
  };
  for (const char* node :
       {R"("on":"fpga","wcet":1)", R"("on":"cpu","wcet":-1)", R"("on":"cpu","wcet":1e400)",
        R"("on":"cpu","wcet":1,"parallelism":0)", R"("on":"cpu","wcet":1,"parallelism":1.5)",
        R"("on":"cpu","wcet":1,"blocks":0)", R"("on":"cpu","wcet":1,"threads":0)"}) {
    EXPECT_TRUE(refused(with(node))) << node;
  }
  const char* fine = R"("on":"cpu","wcet":1)";
  for (const char* task :
       {R"("period":0)", R"("period":-1)", R"("period":1,"deadline":0)",
        R"("period":1,"edges":[["k","k"]])", R"("period":1,"edges":[["k","z"]])"}) {
    EXPECT_TRUE(refused(with(fine, task))) << task;
  }
  for (const char* gpu : {R"("units":0)", R"("units":1.5)", R"("units":1,"lanes":0)"}) {
    EXPECT_TRUE(refused(with(fine, R"("period":1)", gpu))) << gpu;
  }
  const std::string head = R"({"tactus":1,"name":"x","platform":{"elements":[
      {"name":"c","kind":"cpu","units":1}]},"tasks":[{"name":"a","period":1,"nodes":[)";
  EXPECT_TRUE(refused(head + R"(]}]})")) << "no nodes";
  EXPECT_TRUE(refused(head + R"({"name":"k","on":"c"},{"name":"k","on":"c"}]}]})")) << "twice";
  EXPECT_TRUE(refused(head + R"({"name":"k","on":"c"},{"name":"l","on":"c"}],
      "edges":[["k","l"],["l","k"]]}]})"))
      << "a cycle";
  EXPECT_TRUE(refused(head + R"({"name":"k","on":"c"}]},{"name":"a","period":1,"nodes":[
      {"name":"k","on":"c"}]}]})"))
      << "two tasks of one name";
}

}  // namespace
}  // namespace tactus::gang
