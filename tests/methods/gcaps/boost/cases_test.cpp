#include <algorithm>
#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/methods/gcaps/boost/boost_plan.hpp"
#include "tests/methods/gcaps/boost/support.hpp"
#include "tests/support/paths.hpp"

/// Every case of tests/data/cases/boost, to the nanosecond: the worked example, the tables of the
/// paper on GCAPS, two refutations of weaker analyses, and files that are refused.
namespace tactus::gcaps::boost::tests {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& file) {
  const fs::path path = fs::path(support::source_path("tests/data/cases/boost")) / file;
  const Result<std::string> text = read_text_file(path.string());
  EXPECT_TRUE(text) << file;
  return text ? *text : std::string();
}

std::vector<std::string> case_names() {
  constexpr std::string_view kEnding = ".system.json";
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(support::source_path("tests/data/cases/boost"))) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kEnding)) names.push_back(file.substr(0, file.size() - kEnding.size()));
  }
  return names;
}

/// A number of a case in nanoseconds, or of a figure.
std::int64_t ns_of(const json::Value& value, const System& system) {
  const auto ns = parse_scaled(value.text(), decimal_places(system.time_unit), Rounding::kUp);
  return ns && ns->exact ? ns->value : -1;
}

/// The same names, the same lists of numbers; null where null is expected.
void expect_figure(const json::Value& expected, const Verdict& verdict, std::string_view name,
                   const System& system, bool times) {
  const auto figure = std::find_if(verdict.figures.begin(), verdict.figures.end(),
                                   [&](const Figure& f) { return f.name == name; });
  ASSERT_NE(figure, verdict.figures.end()) << name;
  const auto parsed = json::Document::parse(figure->value);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << figure->value;
  const json::Value& found = std::get<json::Document>(parsed).root();
  ASSERT_EQ(found.members().size(), expected.members().size()) << figure->value;
  for (const json::Member& task : expected.members()) {
    const json::Value* own = found.find(task.key);
    ASSERT_NE(own, nullptr) << task.key;
    ASSERT_EQ(own->is(json::Kind::kNull), task.value.is(json::Kind::kNull)) << task.key;
    if (own->is(json::Kind::kNull)) continue;
    ASSERT_EQ(own->items().size(), task.value.items().size()) << task.key;
    for (std::size_t k = 0; k < own->items().size(); ++k) {
      const json::Value &a = own->items()[k], &b = task.value.items()[k];
      if (times) {
        EXPECT_EQ(ns_of(a, system), ns_of(b, system)) << name << " " << task.key;
      } else {
        EXPECT_EQ(a.text(), b.text()) << name << " " << task.key;
      }
    }
  }
}

void expect_verdict(const json::Value& expected, const System& system, const Verdict& verdict) {
  if (const json::Value* status = expected.find("status")) {
    EXPECT_EQ(to_string(verdict.status), status->text());
    const std::string needed(expected.find("must_mention")->text());
    EXPECT_NE(verdict.reason.find(needed), std::string::npos) << verdict.reason;
    EXPECT_TRUE(verdict.at.known());
    return;
  }
  const bool schedulable = expected.find("schedulable")->boolean();
  EXPECT_EQ(verdict.status, schedulable ? Status::kSchedulable : Status::kUnschedulable);
  EXPECT_EQ(verdict.plan != nullptr, schedulable);
  const json::Value& times = *expected.find("response_times");
  ASSERT_EQ(verdict.tasks.size(), times.members().size());
  for (const TaskVerdict& task : verdict.tasks) {
    const std::string& name = system.tasks[task.task].name;
    const json::Value* time = times.find(name);
    ASSERT_NE(time, nullptr) << name;
    ASSERT_EQ(task.bound.has_value(), !time->is(json::Kind::kNull)) << name;
    if (!task.bound) continue;
    EXPECT_EQ(task.bound->ns(), ns_of(*time, system)) << name;
    EXPECT_EQ(sum(task.terms), *task.bound) << name;
  }
  expect_figure(*expected.find("gpu_completion"), verdict, "gpu_completion", system, true);
  expect_figure(*expected.find("gpu_thresholds"), verdict, "gpu_thresholds", system, false);
  if (const json::Value* levels = expected.find("gpu_priorities")) {
    const auto* plan = dynamic_cast<const BoostPlan*>(verdict.plan.get());
    ASSERT_NE(plan, nullptr);
    for (const PriorityPlan::Entry& entry : plan->priorities.entries) {
      const json::Value* level = levels->find(system.tasks[entry.task].name);
      ASSERT_NE(level, nullptr);
      EXPECT_EQ(std::to_string(entry.gpu_priority), level->text());
    }
  }
}

class BoostCase : public testing::TestWithParam<std::string> {};

TEST_P(BoostCase, GivesTheExpectedVerdicts) {
  const auto parsed = json::Document::parse(text_of(GetParam() + ".expected.json"));
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed));
  const json::Value& expected = std::get<json::Document>(parsed).root();
  const std::string text = text_of(GetParam() + ".system.json");
  if (expected.find("error") != nullptr) {
    const auto refused = read_system(text);
    ASSERT_FALSE(refused.system);
    ASSERT_EQ(refused.diagnostics.size(), 1U);
    for (const json::Value& word : expected.find("must_mention")->items()) {
      EXPECT_NE(refused.diagnostics[0].message.find(word.text()), std::string::npos)
          << refused.diagnostics[0].message;
    }
    return;
  }
  const System system = read(text);
  for (const json::Member& member : expected.find("safe")->members()) {
    SCOPED_TRACE(std::string(member.key));
    ASSERT_NE(find_method(member.key), nullptr);
    expect_verdict(member.value, system, run(member.key, system));
  }
  EXPECT_EQ(expected.find("safe")->members().size(), 4U);
}

INSTANTIATE_TEST_SUITE_P(Boost, BoostCase, testing::ValuesIn(case_names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(BoostCases, AreAllThere) { EXPECT_EQ(case_names().size(), 11U); }

TEST(BoostCases, WithoutCostsStillRunWithTheOtherMethods) {
  const System system = read(text_of("15-no-costs.system.json"));
  EXPECT_EQ(run("gcaps.boost.suspend", system).status, Status::kNotApplicable);
  EXPECT_NE(run("tsg-rr.suspend", system).status, Status::kNotApplicable);
}

}  // namespace
}  // namespace tactus::gcaps::boost::tests
