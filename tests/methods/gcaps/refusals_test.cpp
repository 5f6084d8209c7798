#include <fmt/core.h>

#include "tests/methods/gcaps/support.hpp"

/// What the ten methods refuse: the status, the message with its names,
/// and the place in the file; and what the reader refuses before them.
namespace tactus::gcaps::tests {
namespace {

constexpr std::string_view kCpu = R"({"name":"cpu","kind":"cpu","units":2})";
constexpr std::string_view kGpu =
    R"({"name":"gpu","kind":"gpu","units":1,"time_slice":1,"context_switch":0,"runlist_update":1})";
/// A task that nobody objects to.
constexpr std::string_view kFine =
    R"({"name":"fine","period":90,"priority":1,"core":2,"nodes":[{"name":"f1","on":"cpu","wcet":1},
    {"name":"f2","on":"gpu","wcet":2,"launch":1}]})";

/// Elements begin in line 2, tasks in the line after the last element; one a line.
std::string file(const std::vector<std::string_view>& elements,
                 const std::vector<std::string_view>& tasks) {
  std::string text = R"({"tactus":1,"time_unit":"ms","platform":{"elements":[)";
  for (std::size_t i = 0; i < elements.size(); ++i) {
    text += (i > 0 ? ",\n" : "\n") + std::string(elements[i]);
  }
  text += R"(]},"tasks":[)";
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    text += (i > 0 ? ",\n" : "\n") + std::string(tasks[i]);
  }
  return text + "]}";
}

/// All methods in all variants refuse, each with these words and this line of the file.
void expect_refused(const std::string& text, const std::vector<std::string_view>& words,
                    std::uint32_t line) {
  const System system = read(text);
  for (const std::string_view method : kMethods) {
    for (const std::string_view variant : kAllVariants) {
      SCOPED_TRACE(fmt::format("{} {}", variant, method));
      const Verdict verdict = run(method, system, variant);
      EXPECT_EQ(verdict.status, Status::kNotApplicable);
      for (const std::string_view word : words) {
        EXPECT_NE(verdict.reason.find(word), std::string::npos) << verdict.reason;
      }
      EXPECT_EQ(verdict.at.line, line) << verdict.reason;
      EXPECT_TRUE(verdict.tasks.empty());
      EXPECT_EQ(verdict.plan, nullptr);
    }
  }
}

/// With one task beside the good one, which takes lines 4 and 5.
void expect_task_refused(std::string_view task, const std::vector<std::string_view>& words) {
  expect_refused(file({kCpu, kGpu}, {kFine, task}), words, 6);
}

TEST(Refusal, OfAPlatformWithoutACpu) {
  expect_refused(file({kGpu}, {R"({"name":"a","period":9,"priority":1,"core":1,
                        "nodes":[{"name":"n","on":"gpu","wcet":1}]})"}),
                 {"no cpu"}, 0);
}

TEST(Refusal, OfASecondCpuOrGpu) {
  expect_refused(file({kCpu, kGpu, R"({"name":"big","kind":"cpu","units":2})"}, {kFine}),
                 {"`big`", "second cpu"}, 4);
  expect_refused(file({kCpu, kGpu, R"({"name":"other","kind":"gpu","units":1})"}, {kFine}),
                 {"`other`", "second gpu"}, 4);
}

TEST(Refusal, OfASystemWithoutRealTimeTasks) {
  const std::string_view only =
      R"({"name":"b","core":1,"best_effort":true,"nodes":[{"name":"n","on":"cpu","wcet":1}]})";
  expect_refused(file({kCpu, kGpu}, {only}), {"no real-time task"}, 0);
  expect_refused(file({kCpu, kGpu}, {}), {"no real-time task"}, 0);
}

TEST(Refusal, OfATaskWithoutPeriodOrPriority) {
  expect_task_refused(
      R"({"name":"a","priority":2,"core":1,"nodes":[{"name":"n","on":"cpu","wcet":1}]})",
      {"`a`", "period"});
  expect_task_refused(
      R"({"name":"a","period":9,"core":1,"nodes":[{"name":"n","on":"cpu","wcet":1}]})",
      {"`a`", "priority"});
}

TEST(Refusal, OfADeadlineBeyondThePeriod) {
  expect_task_refused(
      R"({"name":"a","period":9,"deadline":10,"priority":2,"core":1,
          "nodes":[{"name":"n","on":"cpu","wcet":1}]})",
      {"`a`", "deadline"});
}

TEST(Refusal, OfATaskWithoutACore) {
  expect_task_refused(
      R"({"name":"a","period":9,"priority":2,"nodes":[{"name":"n","on":"cpu","wcet":1}]})",
      {"`a`", "core"});
  expect_task_refused(
      R"({"name":"a","best_effort":true,"nodes":[{"name":"n","on":"cpu","wcet":1}]})",
      {"`a`", "core"});
}

TEST(Refusal, OfACoreThatTheCpuDoesNotHave) {
  System system = read(file({kCpu, kGpu}, {kFine}));  // the reader refuses it in a file
  system.tasks[0].core = 3;
  const Verdict verdict = run("gcaps.busy", system, "safe");
  EXPECT_EQ(verdict.status, Status::kNotApplicable);
  EXPECT_EQ(verdict.reason, "task `fine` is on core 3, but the cpu has 2");
}

TEST(Refusal, OfANodeWithoutAnExecutionTime) {
  expect_task_refused(
      R"({"name":"a","period":9,"priority":2,"core":1,"nodes":[{"name":"n7","on":"cpu"}]})",
      {"`a`", "`n7`", "wcet"});
  expect_task_refused(
      R"({"name":"a","best_effort":true,"core":1,"nodes":[{"name":"n7","on":"gpu","blocks":3}]})",
      {"`a`", "`n7`", "`wcet`, `load` or `times`"});
}

TEST(Refusal, OfALaunchOnTheCpu) {
  expect_task_refused(
      R"({"name":"a","period":9,"priority":2,"core":1,"nodes":[{"name":"n1","on":"cpu","wcet":1},{"name":"n2","on":"cpu","wcet":1,"launch":0.1}]})",
      {"`a`", "`n2`", "launch"});
}

constexpr std::string_view kThreeNodes =
    R"("nodes":[{"name":"n1","on":"cpu","wcet":1},{"name":"n2","on":"gpu","wcet":1},{"name":"n3","on":"cpu","wcet":1}])";

TEST(Refusal, OfABranch) {
  const auto with_edges = [](std::string_view who, std::string_view edges) {
    return fmt::format(R"({{"name":"a",{},"core":1,{},"edges":{}}})", who, kThreeNodes, edges);
  };
  const std::string_view rt = R"("period":9,"priority":2)", be = R"("best_effort":true)";
  for (const std::string_view who : {rt, be}) {
    expect_task_refused(with_edges(who, R"([["n1","n2"],["n1","n3"]])"),
                        {"task `a`: node `n1` has two successors; these methods need a chain"});
    expect_task_refused(with_edges(who, R"([["n1","n3"],["n2","n3"]])"),
                        {"task `a`: node `n3` has two predecessors; these methods need a chain"});
    expect_task_refused(with_edges(who, R"([["n1","n2"]])"),
                        {"task `a`", "`n3`", "these methods need a chain"});
  }
}

TEST(Refusal, OfACopyWithoutAGpu) {
  const std::string text = file(
      {kCpu, R"({"name":"bus","kind":"copy","units":1})"},
      {R"({"name":"a","period":9,"priority":2,"core":1,"nodes":[{"name":"n1","on":"cpu","wcet":1},{"name":"n2","on":"bus","wcet":1}]})"});
  expect_refused(text, {"`a`", "`n2`", "gpu"}, 4);
}

std::string two_tasks(int first_core, int second_core, std::string_view first_gpu,
                      std::string_view second_gpu) {
  const auto task = [](std::string_view name, int priority, int core, std::string_view gpu) {
    return fmt::format(
        R"({{"name":"{}","period":90,"priority":{},"core":{}{}{},"nodes":[{{"name":"n","on":"cpu","wcet":1}}]}})",
        name, priority, core, gpu.empty() ? "" : R"(,"gpu_priority":)", gpu);
  };
  const std::string high = task("high", 7, first_core, first_gpu);
  const std::string low = task("low", 3, second_core, second_gpu);
  return file({kCpu, kGpu}, {high, low});
}

TEST(Refusal, OfEqualGpuPriorities) {
  expect_refused(two_tasks(1, 2, "5", "5"), {"`high`", "`low`", "equal"}, 5);
  // The default is filled in first: 7 is the priority of `high`, 3 that of `low`.
  expect_refused(two_tasks(1, 2, "", "7"), {"`high`", "`low`", "equal"}, 5);
  expect_refused(two_tasks(1, 2, "3", ""), {"`high`", "`low`", "equal"}, 5);
}

TEST(Refusal, OfGpuPrioritiesThatInvertTheOrderOnOneCore) {
  expect_refused(two_tasks(1, 1, "1", "2"), {"`high`", "`low`", "invert"}, 5);
  expect_refused(two_tasks(1, 1, "", "8"), {"`high`", "`low`", "invert"}, 5);
  // Across cores any order will do.
  for (const std::string_view method : kMethods) {
    EXPECT_EQ(run(method, read(two_tasks(1, 2, "1", "2")), "safe").status, Status::kSchedulable)
        << method;
  }
}

/// Only the methods whose id begins with `family` refuse; the others decide.
void expect_only_refused(const System& system, std::string_view family, std::string_view word) {
  for (const std::string_view method : kMethods) {
    SCOPED_TRACE(method);
    const Verdict verdict = run(method, system, "safe");
    if (!method.starts_with(family)) {
      EXPECT_EQ(verdict.status, Status::kSchedulable);
      continue;
    }
    EXPECT_EQ(verdict.status, Status::kNotApplicable);
    EXPECT_NE(verdict.reason.find(word), std::string::npos) << verdict.reason;
    EXPECT_NE(verdict.reason.find("`gpu`"), std::string::npos) << verdict.reason;
    EXPECT_EQ(verdict.at.line, 3u);
  }
}

TEST(Refusal, OfAMissingOverheadConcernsOneFamilyOnly) {
  const auto with_gpu = [](std::string_view gpu) { return read(file({kCpu, gpu}, {kFine})); };
  expect_only_refused(
      with_gpu(R"({"name":"gpu","kind":"gpu","units":1,"time_slice":1,"context_switch":0})"),
      "gcaps", "runlist_update");
  expect_only_refused(
      with_gpu(R"({"name":"gpu","kind":"gpu","units":1,"runlist_update":1,"context_switch":0})"),
      "tsg-rr", "time_slice");
  expect_only_refused(
      with_gpu(R"({"name":"gpu","kind":"gpu","units":1,"runlist_update":1,"time_slice":1})"),
      "tsg-rr", "context_switch");
}

TEST(Refusal, DoesNotAskForOverheadsThatNobodyPays) {
  const std::string_view cpu_only =
      R"({"name":"a","period":9,"priority":2,"core":1,"nodes":[{"name":"n","on":"cpu","wcet":2}]})";
  for (const std::vector<std::string_view>& elements :
       {std::vector<std::string_view>{kCpu},
        {kCpu, R"({"name":"gpu","kind":"gpu","units":1})"},
        // With the overhead given and no GPU user it counts as nothing all the same.
        {kCpu, R"({"name":"gpu","kind":"gpu","units":1,"runlist_update":5})"}}) {
    const System system = read(file(elements, {cpu_only}));
    for (const std::string_view method : kMethods) {
      EXPECT_EQ(bound_ns(method, system, "safe", "a"), 2 * kMs) << method;
      EXPECT_EQ(bound_ns(method, system, "paper", "a"), 2 * kMs) << method;
    }
  }
  // A best-effort GPU user is a GPU user.
  const System system = read(file(
      {kCpu, R"({"name":"gpu","kind":"gpu","units":1})"},
      {cpu_only,
       R"({"name":"b","core":1,"best_effort":true,"nodes":[{"name":"n","on":"gpu","wcet":1}]})"}));
  EXPECT_EQ(run("gcaps.busy", system, "safe").status, Status::kNotApplicable);
  EXPECT_EQ(run("tsg-rr.busy", system, "safe").status, Status::kNotApplicable);
  EXPECT_EQ(run("mpcp.busy", system, "safe").status, Status::kSchedulable);
}

/// "core of a, priority of a, runlist_update of gpu": what there is to give, and to whom.
std::string given_to(const Verdict& verdict) {
  std::string text;
  for (const Obstacle& obstacle : verdict.obstacles) {
    for (const std::string_view attribute : obstacle.give) {
      text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", attribute, obstacle.name);
    }
  }
  return text;
}

TEST(Refusal, NamesEverythingThatIsMissingAtOnce) {
  const System system = read(
      file({kCpu, R"({"name":"gpu","kind":"gpu","units":1})"},
           {R"({"name":"a","period":9,"nodes":[{"name":"n","on":"cpu"},{"name":"g","on":"gpu"}]})",
            R"({"name":"b","core":1,"nodes":[{"name":"n","on":"gpu","wcet":1}]})",
            R"({"name":"c","best_effort":true,"nodes":[{"name":"n","on":"gpu","wcet":1}]})"}));
  const std::string tasks =
      "core of a, wcet of n, wcet of g, load of g, times of g, period of b, core of c";
  EXPECT_EQ(given_to(run("gcaps.busy", system, "safe")), tasks + ", runlist_update of gpu");
  EXPECT_EQ(given_to(run("tsg-rr.busy", system, "safe")),
            tasks + ", time_slice of gpu, context_switch of gpu");
  EXPECT_EQ(given_to(run("mpcp.suspend", system, "safe")), tasks);
  const Verdict verdict = run("gcaps.suspend.prio", system, "safe");
  EXPECT_EQ(verdict.obstacles.front().reason, verdict.reason);
  EXPECT_EQ(verdict.obstacles.front().at.line, 4u);
  EXPECT_EQ(verdict.obstacles.back().at.line, 3u);
}

TEST(Refusal, NamesWhatMustBeChangedBesideWhatIsMissing) {
  const Verdict verdict =
      run("gcaps.busy",
          read(file({kCpu, R"({"name":"gpu","kind":"gpu","units":1})",
                     R"({"name":"other","kind":"gpu","units":1})"},
                    {kFine,
                     R"({"name":"a","period":9,"deadline":10,"priority":2,"core":1,
                                       "nodes":[{"name":"n","on":"cpu","wcet":1,"launch":1}]})"})),
          "safe");
  std::vector<std::string> changes;
  for (const Obstacle& obstacle : verdict.obstacles) {
    if (obstacle.give.empty()) changes.push_back(obstacle.reason);
  }
  EXPECT_EQ(changes,
            (std::vector<std::string>{
                "element `other` is a second gpu element; these methods take one: write a file for "
                "each GPU, and add up the bounds of chains that use both",
                "task `a` has a deadline beyond its period; these methods need constrained "
                "deadlines: cut it into tasks that each end within a period, and require the rest "
                "of a chain over them",
                "task `a`: node `n` has a launch time, but is on the cpu"}));
  EXPECT_EQ(given_to(verdict), "runlist_update of gpu");
}

TEST(Refusal, KeepsAThousandObstaclesAndCountsTheRest) {
  std::vector<std::string> tasks;
  for (int i = 0; i < 1'500; ++i) {
    tasks.push_back(fmt::format(
        R"({{"name":"t{}","period":9,"priority":{},"nodes":[{{"name":"n","on":"cpu","wcet":1}}]}})",
        i, i));
  }
  const Verdict verdict =
      run("gcaps.busy", read(file({kCpu, kGpu}, {tasks.begin(), tasks.end()})), "safe");
  EXPECT_EQ(verdict.obstacles.size(), 1'000u);
  EXPECT_EQ(verdict.more_obstacles, 500u);
}

TEST(Refusal, OfAnUnknownVariantNamesTheOnesThereAre) {
  const Verdict verdict = run("mpcp.busy", read(file({kCpu, kGpu}, {kFine})), "sage");
  EXPECT_EQ(verdict.status, Status::kNotApplicable);
  EXPECT_NE(verdict.reason.find("`sage`"), std::string::npos);
  EXPECT_NE(verdict.reason.find("safe-arbiter"), std::string::npos);
}

TEST(Acceptance, IgnoresWhatABestEffortTaskNeedNotHave) {
  // Its priorities clash with the other task's; its deadline is beyond its period.
  System system = read(file(
      {kCpu, kGpu},
      {kFine,
       R"({"name":"b","core":2,"period":5,"best_effort":true,"nodes":[{"name":"n","on":"cpu","wcet":1}]})"}));
  Task& rest = system.tasks[1];  // the reader warns of these
  rest.deadline = ms(9);
  rest.priority = rest.gpu_priority = 1;
  for (const std::string_view method : kMethods) {
    const Verdict verdict = run(method, system, "safe");
    EXPECT_EQ(verdict.status, Status::kSchedulable) << method << verdict.reason;
    EXPECT_EQ(verdict.tasks.size(), 1u) << "best-effort tasks are not analysed";
  }
}

TEST(AnyMethod, ThatIsAskedToStopIsUndecided) {
  const System system = Sketch(1)
                            .runlist_update("1")
                            .time_slice("1")
                            .context_switch("0")
                            .task("a", 1, "100", "1, 1+2")
                            .system();
  std::stop_source source;
  Options options;
  options.stop = source.get_token();
  for (const std::string_view method : kMethods) {
    EXPECT_NE(analyze(*find_method(method), system, options).status, Status::kUndecided) << method;
  }
  source.request_stop();
  for (const std::string_view method : kMethods) {
    const Verdict verdict = analyze(*find_method(method), system, options);
    EXPECT_EQ(verdict.status, Status::kUndecided) << method;
    EXPECT_EQ(verdict.reason, "interrupted") << method;
  }
}

}  // namespace
}  // namespace tactus::gcaps::tests
