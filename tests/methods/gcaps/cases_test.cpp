#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tests/methods/gcaps/support.hpp"
#include "tests/support/paths.hpp"

/// Every sample case of tests/data/cases/gcaps, to the nanosecond.
namespace tactus::gcaps::tests {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return support::source_path("tests/data/cases/gcaps"); }

std::vector<std::string> case_names() {
  constexpr std::string_view kEnding = ".system.json";
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder())) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kEnding)) names.push_back(file.substr(0, file.size() - kEnding.size()));
  }
  return names;
}

std::string text_of(const std::string& file) {
  const Result<std::string> text = read_text_file((folder() / file).string());
  EXPECT_TRUE(text) << file;
  return text ? *text : std::string();
}

class Case : public testing::TestWithParam<std::string> {};

void expect_priorities(const json::Value& expected, const System& system, const Verdict& verdict) {
  const auto* plan = dynamic_cast<const PriorityPlan*>(verdict.plan.get());
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->entries.size(), expected.members().size());
  for (const PriorityPlan::Entry& entry : plan->entries) {
    const json::Value* level = expected.find(system.tasks[entry.task].name);
    ASSERT_NE(level, nullptr);
    EXPECT_EQ(std::to_string(entry.gpu_priority), level->text()) << system.tasks[entry.task].name;
  }
}

void expect_verdict(const json::Value& expected, const System& system, const Verdict& verdict) {
  const bool schedulable = expected.find("schedulable")->boolean();
  EXPECT_EQ(verdict.status, schedulable ? Status::kSchedulable : Status::kUnschedulable);
  const json::Value& times = *expected.find("response_times");
  ASSERT_EQ(verdict.tasks.size(), times.members().size());
  for (const TaskVerdict& task : verdict.tasks) {
    const std::string& name = system.tasks[task.task].name;
    const json::Value* time = times.find(name);
    ASSERT_NE(time, nullptr) << name;
    EXPECT_EQ(task.schedulable, !time->is(json::Kind::kNull)) << name;
    ASSERT_EQ(task.bound.has_value(), !time->is(json::Kind::kNull)) << name;
    if (!task.bound) continue;
    const auto ns = parse_scaled(time->text(), decimal_places(system.time_unit), Rounding::kUp);
    ASSERT_TRUE(ns && ns->exact) << name;
    EXPECT_EQ(task.bound->ns(), ns->value) << name;
  }
  const json::Value* priorities = expected.find("gpu_priorities");
  if (priorities != nullptr && !priorities->is(json::Kind::kNull)) {
    expect_priorities(*priorities, system, verdict);
  } else {
    EXPECT_EQ(verdict.plan != nullptr, verdict.status == Status::kSchedulable);
  }
}

TEST_P(Case, GivesTheExpectedVerdicts) {
  const auto parsed = json::Document::parse(text_of(GetParam() + ".expected.json"));
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed));
  const json::Value& expected = std::get<json::Document>(parsed).root();
  const System system = read(text_of(GetParam() + ".system.json"));
  const json::Value* error = expected.find("error");
  if (error != nullptr && error->boolean()) {
    for (const std::string_view method : kMethods) {
      for (const std::string_view variant : kAllVariants) {
        SCOPED_TRACE(method);
        const Verdict verdict = run(method, system, variant);
        EXPECT_EQ(verdict.status, Status::kNotApplicable);
        EXPECT_FALSE(verdict.reason.empty());
        EXPECT_TRUE(verdict.at.known());
        EXPECT_TRUE(verdict.tasks.empty());
      }
    }
    return;
  }
  int checked = 0;
  for (const std::string_view variant : kAllVariants) {
    const json::Value* of_variant = expected.find(variant);
    ASSERT_NE(of_variant, nullptr) << variant;
    for (const json::Member& member : of_variant->members()) {
      SCOPED_TRACE(std::string(variant) + " " + std::string(member.key));
      ASSERT_NE(find_method(member.key), nullptr);
      expect_verdict(member.value, system, run(member.key, system, variant));
      ++checked;
    }
  }
  EXPECT_EQ(checked, 10 + 10 + 4);
}

TEST_P(Case, GivesTheSafeVerdictOfTheOtherSixMethodsWithAnArbiter) {
  const System system = read(text_of(GetParam() + ".system.json"));
  for (const std::string_view method : kMethods) {
    if (method.starts_with("gcaps")) continue;
    const Verdict safe = run(method, system, "safe");
    const Verdict arbiter = run(method, system, "safe-arbiter");
    EXPECT_EQ(safe.status, arbiter.status) << method;
    EXPECT_EQ(safe.warnings, arbiter.warnings) << method;
    ASSERT_EQ(safe.tasks.size(), arbiter.tasks.size()) << method;
    for (std::size_t i = 0; i < safe.tasks.size(); ++i) {
      EXPECT_EQ(safe.tasks[i].bound, arbiter.tasks[i].bound) << method;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gcaps, Case, testing::ValuesIn(case_names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Cases, AreAllThere) { EXPECT_GE(case_names().size(), 8u); }

}  // namespace
}  // namespace tactus::gcaps::tests
