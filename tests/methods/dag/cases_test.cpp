#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/methods/dag/groups.hpp"
#include "tactus/model/reader.hpp"
#include "tests/methods/dag/sample.hpp"
#include "tests/support/paths.hpp"

/// Every case of tests/data/cases/dag: bounds, blocks, groups, steps, refusals.
namespace tactus::dag {
namespace {

const std::filesystem::path kFolder = support::source_path("tests/data/cases/dag");

/// Cases whose name begins so: "case" are good ones, "error" must be refused.
std::vector<std::string> case_names(std::string_view prefix) {
  std::vector<std::string> names;
  constexpr std::string_view kEnd = ".expected.json";
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(kEnd) || !name.starts_with(prefix)) continue;
    names.push_back(name.substr(0, name.size() - kEnd.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

double number(const json::Value& value) {
  return std::strtod(std::string(value.text()).c_str(), nullptr);
}
double in_units(Time time) { return static_cast<double>(time.ns()) * 1e-6; }
double tolerance(double value) { return 1e-6 * std::abs(value) + 20e-6; }

class Case : public testing::TestWithParam<std::string> {
 protected:
  Case()
      : expected_(std::get<json::Document>(
            json::Document::parse(*read_text_file(kFolder / (GetParam() + ".expected.json"))))),
        read_(read_system(*read_text_file(kFolder / (GetParam() + ".system.json")))) {}

  const json::Value& expected(std::string_view key) const { return *expected_.root().find(key); }

  using Names = std::vector<std::vector<std::string>>;
  static Names listed(const json::Value& value, bool sorted) {
    Names out;
    for (const json::Value& list : value.items()) {
      out.emplace_back();
      for (const json::Value& name : list.items()) out.back().emplace_back(name.text());
      if (sorted) std::sort(out.back().begin(), out.back().end());
    }
    return out;
  }
  Names listed(const NodeLists& lists, bool sorted) const {
    Names out;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      out.emplace_back();
      for (NodeIndex node : lists[i]) out.back().push_back(read_.system->tasks[0].nodes[node].name);
      if (sorted) std::sort(out.back().begin(), out.back().end());
    }
    return out;
  }

  void expect_kernels(std::span<const Kernel> ours, const json::Value& theirs) const {
    ASSERT_EQ(ours.size(), theirs.items().size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const json::Value& kernel = theirs.items()[i];
      EXPECT_EQ(read_.system->tasks[0].nodes[ours[i].node].name, kernel.find("node")->text());
      const double load = number(*kernel.find("load")), c = number(*kernel.find("C"));
      EXPECT_NEAR(in_units(ours[i].load), load, tolerance(load));
      EXPECT_NEAR(in_units(ours[i].c), c, tolerance(c));
      EXPECT_EQ(static_cast<double>(ours[i].m), number(*kernel.find("m")));
    }
  }

  json::Document expected_;
  ReadResult read_;
};

class GoodCase : public Case {};
class BadCase : public Case {};

TEST_P(BadCase, IsRefusedByName) {
  std::string message;
  if (read_.system) {
    const Verdict verdict = analyze(*find_method("dag.balanced"), *read_.system);
    EXPECT_EQ(verdict.status, Status::kNotApplicable);
    EXPECT_TRUE(verdict.at.known());
    message = verdict.reason;
  } else {
    ASSERT_FALSE(read_.diagnostics.empty());
    message = read_.diagnostics[0].message;
  }
  for (const json::Value& word : expected("must_mention").items()) {
    EXPECT_NE(message.find(word.text()), std::string::npos) << message;
  }
}

TEST_P(GoodCase, HasTheExpectedBounds) {
  for (const json::Member& entry : expected("bounds").members()) {
    const std::string_view method = entry.key.substr(0, entry.key.find('/'));
    Options options;
    if (method != entry.key) options.variant = "paper";
    const Verdict verdict = analyze(*find_method(method), *read_.system, options);
    const double bound = number(entry.value);
    EXPECT_NEAR(in_units(*verdict.tasks.at(0).bound), bound, tolerance(bound)) << entry.key;
  }
}

TEST_P(GoodCase, HasTheExpectedBlocksAndGroups) {
  const auto made = make_kernel_graph(*read_.system);
  const auto& kernels = std::get<KernelGraph>(made);
  const Ancestry ancestry = make_ancestry(kernels);
  EXPECT_EQ(listed(ancestry.blocks, true), listed(expected("blocks"), true));
  const NodeLists groups = make_groups(kernels, ancestry, GroupRule::kSomeLarge, kernels.sms);
  EXPECT_EQ(listed(groups, false), listed(expected("groups"), false));
}

TEST_P(GoodCase, HasTheExpectedSteps) {
  const Verdict verdict = analyze(*find_method("dag.balanced"), *read_.system);
  const DagPlan& plan = plan_of(verdict);
  const auto steps = expected("balanced").find("steps")->items();
  ASSERT_EQ(plan.schedule.steps.size(), steps.size());
  for (std::size_t j = 0; j < steps.size(); ++j) {
    SCOPED_TRACE(j);
    const Step& step = plan.schedule.steps[j];
    const double r = number(*steps[j].find("R"));
    EXPECT_NEAR(in_units(step.r), r, tolerance(r));
    expect_kernels(plan.schedule.primary(step), *steps[j].find("primary"));
    expect_kernels(plan.schedule.launched(step), *steps[j].find("launched"));
  }
  EXPECT_EQ(static_cast<double>(plan.cuts(*read_.system)),
            number(*expected("balanced").find("splits")));
}

INSTANTIATE_TEST_SUITE_P(Dag, GoodCase, testing::ValuesIn(case_names("case")),
                         [](const auto& name) { return name.param; });
INSTANTIATE_TEST_SUITE_P(Dag, BadCase, testing::ValuesIn(case_names("error")),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace tactus::dag
