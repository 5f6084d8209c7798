#include "tests/methods/gcaps/support.hpp"

/// What a verdict says beside its numbers.
namespace tactus::gcaps::tests {
namespace {

constexpr std::string_view kPaperWarning =
    "bounds follow the published equations and are not safe; see findings F1-F7";

bool mentions(const Verdict& verdict, std::string_view words) {
  return std::any_of(
      verdict.warnings.begin(), verdict.warnings.end(),
      [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

Sketch overheads(int cores) {
  return Sketch(cores).runlist_update("1").context_switch("0.5").time_slice("1");
}

TEST(Warning, AccompaniesEveryPaperVerdictAndNoOther) {
  const System passing = overheads(1).task("a", 1, "100", "1, 1+2").system();
  const System failing = overheads(1).task("a", 1, "10", "9, 1+2").system();
  for (const System& system : {passing, failing}) {
    for (const std::string_view method : kMethods) {
      for (const std::string_view variant : kAllVariants) {
        const Verdict verdict = run(method, system, variant);
        const auto count = std::count(verdict.warnings.begin(), verdict.warnings.end(),
                                      std::string(kPaperWarning));
        EXPECT_EQ(count, variant == "paper" ? 1 : 0) << variant << " " << method;
      }
    }
  }
}

TEST(Warning, TellsThatTheFileStatesAnotherWayToWait) {
  const System system = overheads(2)
                            .task("spinner", 1, "100", "1, 1+2", R"("wait":"busy")")
                            .task("sleeper", 2, "100", "1, 1+2", R"("wait":"suspend")")
                            .task("silent", 2, "100", "1, 1+2")
                            .system();
  System without = system;
  for (Task& task : without.tasks) task.wait.reset();
  for (const std::string_view method : kMethods) {
    const bool busy = method.find("busy") != std::string_view::npos;
    const Verdict verdict = run(method, system, "safe");
    EXPECT_EQ(mentions(verdict, "`spinner`"), !busy) << method;
    EXPECT_EQ(mentions(verdict, "`sleeper`"), busy) << method;
    EXPECT_FALSE(mentions(verdict, "`silent`")) << method;
    // The method fixes the mode; the field changes nothing but the warning.
    const Verdict unstated = run(method, without, "safe");
    EXPECT_TRUE(unstated.warnings.empty()) << method;
    for (std::size_t i = 0; i < verdict.tasks.size(); ++i) {
      EXPECT_EQ(verdict.tasks[i].bound, unstated.tasks[i].bound) << method;
    }
  }
}

TEST(Warning, TellsThatThePublishedEquationsIgnoreThePreemptionDelay) {
  const System system = overheads(2).preemption_delay("1").task("a", 1, "100", "1, 1+2").system();
  for (const std::string_view method : kMethods) {
    for (const std::string_view variant : kAllVariants) {
      EXPECT_EQ(mentions(run(method, system, variant), "ignore preemption_delay"),
                method.starts_with("gcaps") && variant == "paper")
          << variant << " " << method;
    }
  }
}

/// The warnings of `gcaps.busy` about the core of the arbiter.
std::vector<std::string> about_the_arbiter(const Sketch& sketch, std::string_view variant) {
  std::vector<std::string> found;
  for (const std::string& warning : run("gcaps.busy", sketch.system(), variant).warnings) {
    if (warning.find("arbiter") != std::string::npos) found.push_back(warning);
  }
  return found;
}

TEST(Warning, TellsThatTheArbiterHasNoCoreOfItsOwn) {
  Sketch full = overheads(2);
  full.task("a", 1, "100", "1, 1+2").best_effort("b", 2, "", "1");
  EXPECT_EQ(about_the_arbiter(full, "safe-arbiter"),
            std::vector<std::string>{"the tasks use all 2 cores of the cpu, so the arbiter has no "
                                     "core of its own; these bounds assume that it has one"});
  EXPECT_TRUE(about_the_arbiter(full, "safe").empty()) << "a driver needs no core";
  Sketch one = overheads(1);
  one.task("a", 1, "100", "1, 1+2");
  EXPECT_EQ(about_the_arbiter(one, "safe-arbiter").size(), 1U);
  Sketch free = overheads(3);
  free.task("a", 1, "100", "1, 1+2").best_effort("b", 2, "", "1");
  EXPECT_TRUE(about_the_arbiter(free, "safe-arbiter").empty());
  Sketch cpu_only = overheads(1);
  cpu_only.task("a", 1, "100", "1");
  EXPECT_TRUE(about_the_arbiter(cpu_only, "safe-arbiter").empty()) << "nobody asks the arbiter";
}

TEST(Warning, NamesTheTasksOnTheArbitersCore) {
  Sketch sketch = overheads(3).arbiter_core("2");
  sketch.task("a", 1, "100", "1, 1+2").task("b", 2, "90", "1").best_effort("c", 2, "", "1");
  EXPECT_EQ(
      about_the_arbiter(sketch, "safe-arbiter"),
      std::vector<std::string>{"core 2 is the arbiter's, but `b`, `c` are on it; these bounds "
                               "assume that no task of the file is"});
  EXPECT_TRUE(about_the_arbiter(sketch, "safe").empty());
  Sketch alone = overheads(2).arbiter_core("2");
  alone.task("a", 1, "100", "1, 1+2");
  EXPECT_TRUE(about_the_arbiter(alone, "safe-arbiter").empty());
}

TEST(Needs, SayThatSafeIsAPatchedDriverAndSafeArbiterIsTactusd) {
  for (const std::string_view id : kMethods) {
    const std::string_view needs = find_method(id)->needs;
    const bool gcaps = id.starts_with("gcaps");
    EXPECT_EQ(needs.find("safe-arbiter: tactusd") != std::string_view::npos, gcaps) << id;
    EXPECT_EQ(needs.find("safe: a patched driver") != std::string_view::npos, gcaps) << id;
  }
}

constexpr std::string_view kTogether = "hold only if every task passes";

TEST(Warning, TellsThatBoundsWithDeadlinesAsJittersHoldOnlyTogether) {
  // `low` outranks `high` on the GPU, so that every task is tested with deadlines; `doomed` fails.
  const auto with_doomed = [](std::string_view work, std::string_view low_level) {
    return overheads(3)
        .task("high", 1, "100", "1, 1+2", R"("gpu_priority":1)")
        .task("doomed", 3, "50", work, R"("gpu_priority":2)")
        .task("low", 2, "100", "1, 1+2", low_level)
        .system();
  };
  const System failing = with_doomed("60", R"("gpu_priority":3)");
  const System passing = with_doomed("6", R"("gpu_priority":3)");
  for (const std::string_view method : kMethods) {
    if (!method.starts_with("gcaps")) continue;
    for (const std::string_view variant : kAllVariants) {
      const Verdict verdict = run(method, failing, variant);
      EXPECT_EQ(verdict.status, Status::kUnschedulable);
      EXPECT_TRUE(mentions(verdict, kTogether)) << variant << " " << method;
      // No early stop: the tasks after the failing one keep their numbers.
      EXPECT_TRUE(verdict.tasks[0].bound);
      EXPECT_FALSE(verdict.tasks[1].bound);
      EXPECT_TRUE(verdict.tasks[2].bound);
      EXPECT_FALSE(mentions(run(method, passing, variant), kTogether)) << variant << " " << method;
    }
  }
}

TEST(Warning, TellsThatBoundsOfLocksHoldOnlyTogether) {
  const auto with_last = [](std::string_view work) {
    return overheads(2)
        .task("a", 1, "100", "1, 1+2")
        .task("b", 2, "100", "1, 1+2")
        .task("c", 1, "50", work)
        .system();
  };
  for (const std::string_view method : kMethods) {
    const bool lock = method.starts_with("mpcp") || method.starts_with("fmlp");
    for (const std::string_view variant : kAllVariants) {
      const Verdict failing = run(method, with_last("60"), variant);
      EXPECT_EQ(failing.status, Status::kUnschedulable);
      EXPECT_EQ(mentions(failing, kTogether), lock) << variant << " " << method;
      EXPECT_TRUE(failing.tasks[0].bound && failing.tasks[1].bound) << method;
      EXPECT_FALSE(mentions(run(method, with_last("6"), variant), kTogether)) << method;
    }
  }
}

}  // namespace
}  // namespace tactus::gcaps::tests
