#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tactus/model/reader.hpp"
#include "tests/methods/rtgpu/builder.hpp"
#include "tests/support/paths.hpp"

/// The sample systems with their expected results, every number of them.
namespace tactus::rtgpu {
namespace {

using testing::with;

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(support::source_path("tests/data/cases/rtgpu"))) {
    const std::string file = entry.path().filename();
    if (const auto end = file.find(".system.json"); end != std::string::npos) {
      names.push_back(file.substr(0, end));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Case : public ::testing::TestWithParam<std::string> {
 protected:
  std::string text_of(std::string_view kind) const {
    const auto text = read_text_file(
        support::source_path(fmt::format("tests/data/cases/rtgpu/{}.{}.json", GetParam(), kind)));
    return text ? *text : std::string();
  }

  void SetUp() override {
    ReadResult read = read_system(text_of("system"));
    ASSERT_TRUE(read.system);
    system = std::move(*read.system);
    auto parsed = json::Document::parse(text_of("expected"));
    ASSERT_TRUE(std::holds_alternative<json::Document>(parsed));
    expected = std::make_unique<json::Document>(std::move(std::get<json::Document>(parsed)));
  }

  TaskIndex task_named(std::string_view name) const {
    for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
      if (system.tasks[i].name == name) return i;
    }
    ADD_FAILURE() << "no task " << name;
    return 0;
  }

  /// A time of the expected file; null is nothing.
  static std::optional<Time> time_of(const json::Value& value) {
    if (value.is(json::Kind::kNull)) return std::nullopt;
    return Time::from_ns(parse_scaled(value.text(), 6, Rounding::kDown)->value);
  }

  void expect_bounds(const json::Value& bounds, const Verdict& verdict, std::string_view what) {
    for (const json::Member& member : bounds.members()) {
      const TaskIndex index = task_named(member.key);
      const auto task = std::find_if(verdict.tasks.begin(), verdict.tasks.end(),
                                     [&](const TaskVerdict& t) { return t.task == index; });
      ASSERT_NE(task, verdict.tasks.end());
      EXPECT_EQ(task->bound, time_of(member.value)) << what << " " << member.key;
    }
  }

  void expect_searched();
  void expect_given(const json::Value& fixed);
  void expect_refused(const json::Value& parts);

  System system;
  std::unique_ptr<json::Document> expected;
};

const AllocationPlan::Entry* entry_of(const AllocationPlan& plan, TaskIndex task) {
  const auto found = std::find_if(plan.entries.begin(), plan.entries.end(),
                                  [&](const auto& entry) { return entry.task == task; });
  return found == plan.entries.end() ? nullptr : &*found;
}

constexpr std::string_view kMethods[] = {"rtgpu", "rtgpu.greedy", "self-suspension", "stgm"};

void Case::expect_searched() {
  for (const auto& [section, variant] :
       {std::pair("safe", "safe"), std::pair("paper-literal", "paper"),
        std::pair("tight", "tight")}) {
    const json::Value* methods = expected->root().find(section);
    if (methods == nullptr) continue;
    for (const json::Member& member : methods->members()) {
      SCOPED_TRACE(std::string(member.key) + " " + variant);
      const Verdict verdict = analyze(*find_method(member.key), system, with(variant));
      const bool schedulable = member.value.find("schedulable")->boolean();
      EXPECT_EQ(verdict.status, schedulable ? Status::kSchedulable : Status::kUnschedulable)
          << verdict.reason;
      if (!schedulable) {
        EXPECT_EQ(verdict.plan, nullptr);
        EXPECT_FALSE(verdict.reason.empty());
        for (const TaskVerdict& task : verdict.tasks) EXPECT_FALSE(task.bound);
        continue;
      }
      expect_bounds(*member.value.find("response_times"), verdict, member.key);
      const auto plan = std::dynamic_pointer_cast<const AllocationPlan>(verdict.plan);
      ASSERT_NE(plan, nullptr);
      for (const json::Member& share : member.value.find("allocation")->members()) {
        const auto* entry = entry_of(*plan, task_named(share.key));
        ASSERT_NE(entry, nullptr);
        EXPECT_EQ(std::to_string(entry->sms), share.value.text()) << share.key;
      }
    }
  }
}

void Case::expect_given(const json::Value& fixed) {
  std::string allocation;
  for (const json::Member& member : fixed.find("allocation")->members()) {
    allocation +=
        fmt::format("{}{}={}", allocation.empty() ? "" : ",", member.key, member.value.text());
  }
  for (std::string_view method : {"rtgpu", "rtgpu.greedy"}) {
    const Verdict verdict = analyze(*find_method(method), system, with(kSafe, allocation));
    const auto plan = std::dynamic_pointer_cast<const AllocationPlan>(verdict.plan);
    ASSERT_NE(plan, nullptr) << verdict.reason;
    for (const json::Member& member : fixed.find("rtgpu")->members()) {
      SCOPED_TRACE(std::string(method) + " " + std::string(member.key));
      const auto* entry = entry_of(*plan, task_named(member.key));
      ASSERT_NE(entry, nullptr);
      EXPECT_EQ(entry->bound, time_of(*member.value.find("response")));
      for (const auto& [key, kind] :
           {std::pair("GR", "gpu"), std::pair("MR", "copy"), std::pair("CR", "cpu")}) {
        std::vector<const SegmentBound*> segments;
        for (const SegmentBound& segment : entry->segments) {
          if (segment.kind == kind) segments.push_back(&segment);
        }
        const auto items = member.value.find(key)->items();
        ASSERT_EQ(segments.size(), items.size()) << key;
        for (std::size_t i = 0; i < items.size(); ++i) {
          const bool range = items[i].is(json::Kind::kArray);
          EXPECT_EQ(segments[i]->bound, time_of(range ? items[i].items()[1] : items[i])) << key;
          if (!range) continue;
          EXPECT_EQ(segments[i]->lower, *time_of(items[i].items()[0])) << key;
        }
      }
    }
  }
  for (std::string_view method : {"self-suspension", "stgm"}) {
    for (const auto& [section, variant] :
         {std::pair("safe", "safe"), std::pair("paper-literal", "paper")}) {
      expect_bounds(*fixed.find(method)->find(section),
                    analyze(*find_method(method), system, with(variant, allocation)),
                    fmt::format("{} {}", method, variant));
    }
  }
}

void Case::expect_refused(const json::Value& parts) {
  for (std::string_view method : kMethods) {
    const Verdict verdict = analyze(*find_method(method), system);
    EXPECT_EQ(verdict.status, Status::kNotApplicable);
    EXPECT_TRUE(verdict.at.known());
    for (const json::Value& part : parts.items()) {
      EXPECT_NE(verdict.reason.find(part.text()), std::string::npos) << verdict.reason;
    }
  }
}

TEST_P(Case, GivesEveryExpectedResult) {
  const json::Value& root = expected->root();
  if (const json::Value* parts = root.find("error_contains")) {
    expect_refused(*parts);
  } else {
    ASSERT_NE(root.find("safe"), nullptr);
    expect_searched();
  }
  if (const json::Value* fixed = root.find("fixed")) expect_given(*fixed);
}

INSTANTIATE_TEST_SUITE_P(Rtgpu, Case, ::testing::ValuesIn(case_names()), [](const auto& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace tactus::rtgpu
