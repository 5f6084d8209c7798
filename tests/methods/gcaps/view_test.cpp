#include <fmt/core.h>

#include "tests/methods/gcaps/support.hpp"

/// What these methods make of a file that does not say everything: the time with the whole GPU, and
/// priorities.
namespace tactus::gcaps::tests {
namespace {

/// Two tasks on 16 SMs; the kernel of the first is described by `kernel`.
System with_kernel(std::string_view kernel, bool priorities = true) {
  return read(fmt::format(
      R"({{"tactus": 1, "platform": {{"elements": [
           {{"name": "cpu", "kind": "cpu", "units": 3}},
           {{"name": "gpu", "kind": "gpu", "units": 16, "runlist_update": 0.5, "time_slice": 1,
             "context_switch": 0.1}}]}},
         "tasks": [
           {{"name": "late", "period": 90, "core": 2{}, "nodes": [
             {{"name": "pre", "on": "cpu", "wcet": 2}}, {{"name": "k", "on": "gpu", "wcet": 3}}]}},
           {{"name": "soon", "period": 40, "core": 1{}, "nodes": [
             {{"name": "pre", "on": "cpu", "wcet": 1}},
             {{"name": "k", "on": "gpu", "launch": 0.25, {}}}]}}]}})",
      priorities ? R"(, "priority": 1)" : "", priorities ? R"(, "priority": 2)" : "", kernel));
}

std::vector<std::optional<Time>> bounds(std::string_view method, std::string_view variant,
                                        const System& system) {
  std::vector<std::optional<Time>> found;
  const Verdict verdict = run(method, system, variant);
  EXPECT_NE(verdict.status, Status::kNotApplicable) << verdict.reason;
  for (const TaskVerdict& task : verdict.tasks) found.push_back(task.bound);
  return found;
}

/// Both descriptions give the same bounds everywhere.
void expect_same(std::string_view one, std::string_view other) {
  for (const std::string_view method : kMethods) {
    for (const std::string_view variant : kAllVariants) {
      EXPECT_EQ(bounds(method, variant, with_kernel(one)),
                bounds(method, variant, with_kernel(other)))
          << variant << " " << method << ": " << one;
    }
  }
}

TEST(View, TakesTheTimeWithTheWholeGpuFromWhateverTheFileGives) {
  expect_same(R"("load": 65, "overhead": 1)", R"("wcet": 5)");
  expect_same(R"("wcet": 5, "load": 65, "overhead": 1)", R"("wcet": 5)");
  expect_same(R"("wcet": 5, "parallelism": 4)", R"("wcet": 5)");
  expect_same(R"("times": [{"units": 8, "wcet": 7}, {"units": 16, "wcet": 5}])", R"("wcet": 5)");
  expect_same(R"("times": [{"units": 4, "wcet": 9}, {"units": 8, "wcet": 5}])", R"("wcet": 5)");
  expect_same(R"("wcet": 5, "times": [{"units": 16, "wcet": 4}])", R"("wcet": 5)");
}

TEST(View, NotesWhatItDerived) {
  using Notes = std::vector<std::string>;
  for (const std::string_view method : kMethods) {
    EXPECT_EQ(run(method, with_kernel(R"("wcet": 5)"), "safe").notes, Notes{}) << method;
    EXPECT_EQ(run(method, with_kernel(R"("load": 65, "overhead": 1)"), "safe").notes,
              Notes{"task `soon`: node `k`: its time with all 16 units follows from `load`: 5"});
    EXPECT_EQ(run(method, with_kernel(R"("times": [{"units": 8, "wcet": 5}])"), "safe").notes,
              Notes{"task `soon`: node `k`: time of 8 of 16 units; confine it to 8 units"});
    EXPECT_EQ(
        run(method, with_kernel(R"("wcet": 5)", false), "safe").notes,
        Notes{"the file gives no priorities; deadline-monotonic ones are used, and must be at "
              "run time: `soon` > `late`"});
  }
}

TEST(View, UsesDeadlineMonotonicPrioritiesWhereTheFileGivesNone) {
  for (const std::string_view method : kMethods) {
    for (const std::string_view variant : kAllVariants) {
      EXPECT_EQ(bounds(method, variant, with_kernel(R"("wcet": 5)", false)),
                bounds(method, variant, with_kernel(R"("wcet": 5)", true)))
          << variant << " " << method;
    }
  }
}

TEST(View, RefusesGpuPrioritiesForSomeTasksWhereNoneHasAPriority) {
  System system = with_kernel(R"("wcet": 5)", false);
  system.tasks[0].gpu_priority = 3;
  const Verdict verdict = run("gcaps.suspend", system, "safe");
  EXPECT_EQ(verdict.status, Status::kNotApplicable);
  EXPECT_EQ(verdict.reason,
            "task `late` has a gpu_priority, but the file gives no priorities to order it among; "
            "give `priority` to all tasks");
}

/// No bound counts as infinity.
Time or_infinity(const std::optional<Time>& bound) { return bound.value_or(Time::max()); }

TEST(View, NeverGivesAVaguerDescriptionASmallerBound) {
  // From the precise description to vaguer ones: fewer entries of a falling curve, one entry, a gang
  // of that width, the load that the curve was sampled from (64 / m + 1, rounded up).
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {R"("times": [{"units": 4, "wcet": 17}, {"units": 8, "wcet": 9}, {"units": 16, "wcet": 5}])",
       R"("times": [{"units": 4, "wcet": 17}, {"units": 8, "wcet": 9}])"},
      {R"("times": [{"units": 4, "wcet": 17}, {"units": 8, "wcet": 9}])",
       R"("times": [{"units": 4, "wcet": 17}])"},
      {R"("times": [{"units": 4, "wcet": 17}])", R"("wcet": 17, "parallelism": 4)"},
      {R"("times": [{"units": 4, "wcet": 17}, {"units": 16, "wcet": 5}])",
       R"("load": 65, "overhead": 1)"},
      {R"("times": [{"units": 16, "wcet": 5}])", R"("wcet": 5)"},
  };
  for (const auto& [precise, vague] : pairs) {
    for (const std::string_view method : kMethods) {
      for (const std::string_view variant : kAllVariants) {
        const auto tight = bounds(method, variant, with_kernel(precise));
        const auto loose = bounds(method, variant, with_kernel(vague));
        for (std::size_t i = 0; i < tight.size(); ++i) {
          EXPECT_LE(or_infinity(tight[i]), or_infinity(loose[i])) << variant << " " << method;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tactus::gcaps::tests
