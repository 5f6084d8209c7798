#include <gtest/gtest.h>

#include <filesystem>

#include "systems.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/json.hpp"
#include "tests/support/paths.hpp"

/// Every file of tests/data/cases/pbs against its expected results.
namespace tactus::pbs::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = support::source_path("tests/data/cases/pbs");

std::string text_of(const fs::path& path) {
  const auto text = read_text_file(path.string());
  if (!text) throw std::runtime_error(text.error().message);
  return *text;
}

std::vector<std::string> case_names() {
  constexpr std::string_view kEnding = ".system.json";
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCases)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kEnding)) names.push_back(file.substr(0, file.size() - kEnding.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

class PbsCase : public ::testing::TestWithParam<std::string> {};

/// The number of an expected result, in nanoseconds of a file whose unit is `unit`.
std::int64_t time_of(const json::Value& value) {
  return std::stoll(std::string(value.text())) * 1'000'000;
}

TEST_P(PbsCase, HasTheExpectedVerdicts) {
  const System system = read(text_of(kCases / (GetParam() + ".system.json")));
  const auto parsed = json::Document::parse(text_of(kCases / (GetParam() + ".expected.json")));
  const json::Value& expected = std::get<json::Document>(parsed).root();

  if (const json::Value* mentions = expected.find("mentions")) {
    for (const Method* method : {&kGraph, &kEdfSerial, &kEdfParallel}) {
      const Verdict verdict = run(*method, system);
      EXPECT_EQ(verdict.status, Status::kNotApplicable);
      for (const json::Value& word : mentions->items()) {
        EXPECT_NE(verdict.reason.find(word.text()), std::string::npos) << verdict.reason;
      }
    }
    return;
  }
  for (const json::Member& member : expected.members()) {
    SCOPED_TRACE(std::string(member.key));
    const Method* method = find_method(member.key);
    ASSERT_NE(method, nullptr);
    const bool idle = member.key.ends_with("+idle");
    const Verdict verdict = run(*method, system, idle ? with({{"idle", "on"}}) : Options{});
    EXPECT_EQ(verdict.method, member.key);
    const bool yes = member.value.find("schedulable")->boolean();
    EXPECT_EQ(verdict.status, yes ? Status::kSchedulable : Status::kUnschedulable)
        << verdict.reason;
    EXPECT_EQ(verdict.plan != nullptr, yes);
    if (yes) {
      EXPECT_EQ(check_own_plan(*method, system, verdict), std::vector<std::string>());
    }
    const json::Value* missed = member.value.find("missed");
    if (missed == nullptr) continue;
    EXPECT_EQ(std::to_string(verdict.missed.size()), missed->text());
    const json::Value& first = *member.value.find("first_miss");
    if (first.is(json::Kind::kNull) || verdict.missed.empty()) continue;
    EXPECT_EQ(system.tasks[verdict.missed[0].task].name, first.find("task")->text());
    EXPECT_EQ(std::to_string(verdict.missed[0].job), first.find("job")->text());
    EXPECT_EQ(verdict.missed[0].deadline.ns(), time_of(*first.find("deadline")));
    EXPECT_EQ(verdict.missed[0].finish.ns(), time_of(*first.find("finish")));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, PbsCase, ::testing::ValuesIn(case_names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace tactus::pbs::testing
