#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/methods/gcaps/boost/boost_plan.hpp"
#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tests/methods/gcaps/support.hpp"
#include "tests/support/paths.hpp"

/// Every case of tests/data/cases/pipelines, to the nanosecond: jitter in every count, trees of tasks
/// that start tasks, thresholds that are searched outside of the fixed point, chains.
namespace tactus::gcaps::tests {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& file) {
  const fs::path path = fs::path(support::source_path("tests/data/cases/pipelines")) / file;
  const Result<std::string> text = read_text_file(path.string());
  EXPECT_TRUE(text) << file;
  return text ? *text : std::string();
}

/// A number of a case in nanoseconds; they are given to 1e-6 of the unit, which here is 1 ns.
std::optional<std::int64_t> ns_of(const json::Value& value, const System& system) {
  if (value.is(json::Kind::kNull)) return std::nullopt;
  const auto ns = parse_scaled(value.text(), decimal_places(system.time_unit), Rounding::kUp);
  return ns ? std::optional(ns->value) : std::nullopt;
}

std::optional<std::int64_t> ns_of(const std::optional<Time>& time) {
  return time ? std::optional(time->ns()) : std::nullopt;
}

void expect_tasks(const json::Value& expected, const System& system, const Verdict& verdict) {
  const json::Value& times = *expected.find("response_times");
  const json::Value* latencies = expected.find("latency");
  ASSERT_EQ(verdict.tasks.size(), times.members().size());
  for (const TaskVerdict& task : verdict.tasks) {
    const std::string& name = system.tasks[task.task].name;
    ASSERT_NE(times.find(name), nullptr) << name;
    EXPECT_EQ(ns_of(task.bound), ns_of(*times.find(name), system)) << name;
    if (task.bound) {
      EXPECT_EQ(sum(task.terms), *task.bound) << name;
    }
    const json::Value* latency = latencies == nullptr ? nullptr : latencies->find(name);
    EXPECT_EQ(ns_of(task.latency), latency == nullptr ? std::nullopt : ns_of(*latency, system))
        << name;
  }
}

void expect_chains(const json::Value& expected, const System& system, const Verdict& verdict) {
  const json::Value* chains = expected.find("chains");
  ASSERT_EQ(verdict.chains.size(), chains == nullptr ? 0U : chains->members().size());
  for (const ChainVerdict& chain : verdict.chains) {
    const std::string& name = system.chains[chain.chain].name;
    const json::Value* own = chains->find(name);
    ASSERT_NE(own, nullptr) << name;
    EXPECT_EQ(ns_of(chain.bound), ns_of(*own->find("bound"), system)) << name;
    EXPECT_EQ(chain.holds, own->find("holds")->boolean()) << name;
  }
}

void expect_plan(const json::Value& expected, const System& system, const Verdict& verdict) {
  const json::Value* levels = expected.find("gpu_priorities");
  const auto* boost = dynamic_cast<const boost::BoostPlan*>(verdict.plan.get());
  const auto* plain = dynamic_cast<const PriorityPlan*>(verdict.plan.get());
  if (levels != nullptr && verdict.plan != nullptr) {
    const PriorityPlan& plan = boost != nullptr ? boost->priorities : *plain;
    for (const PriorityPlan::Entry& entry : plan.entries) {
      const json::Value* level = levels->find(system.tasks[entry.task].name);
      ASSERT_NE(level, nullptr);
      EXPECT_EQ(std::to_string(entry.gpu_priority), level->text()) << system.tasks[entry.task].name;
    }
  }
  const json::Value* allocation = expected.find("allocation");
  if (allocation == nullptr) return;
  const auto* shares = dynamic_cast<const rtgpu::AllocationPlan*>(verdict.plan.get());
  ASSERT_NE(shares, nullptr);
  for (const auto& entry : shares->entries) {
    EXPECT_EQ(std::to_string(entry.sms), allocation->find(system.tasks[entry.task].name)->text());
  }
}

/// The figure of this name and the member of the case have the same numbers.
void expect_figure(const json::Value& expected, std::string_view name, const System& system,
                   const Verdict& verdict) {
  const json::Value* member = expected.find(name);
  if (member == nullptr || member->members().empty()) return;
  const auto figure = std::find_if(verdict.figures.begin(), verdict.figures.end(),
                                   [&](const Figure& f) { return f.name == name; });
  ASSERT_NE(figure, verdict.figures.end()) << name;
  const auto parsed = json::Document::parse(figure->value);
  const json::Value& found = std::get<json::Document>(parsed).root();
  for (const json::Member& task : member->members()) {
    const json::Value* own = found.find(task.key);
    ASSERT_NE(own, nullptr) << task.key;
    ASSERT_EQ(own->is(json::Kind::kNull), task.value.is(json::Kind::kNull)) << task.key;
    if (own->is(json::Kind::kNull)) continue;
    ASSERT_EQ(own->items().size(), task.value.items().size());
    for (std::size_t k = 0; k < own->items().size(); ++k) {
      EXPECT_EQ(ns_of(own->items()[k], system), ns_of(task.value.items()[k], system)) << name;
    }
  }
}

class PipelineCase : public testing::TestWithParam<std::string> {};

TEST_P(PipelineCase, GivesTheExpectedVerdicts) {
  const auto parsed = json::Document::parse(text_of(GetParam() + ".expected.json"));
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed));
  const json::Value& expected = std::get<json::Document>(parsed).root();
  const System system = read(text_of(GetParam() + ".system.json"));
  int checked = 0;
  for (const std::string_view variant : {"safe", "safe-arbiter"}) {
    const json::Value* of_variant = expected.find(variant);
    if (of_variant == nullptr) continue;
    for (const json::Member& member : of_variant->members()) {
      SCOPED_TRACE(std::string(variant) + " " + std::string(member.key));
      ASSERT_NE(find_method(member.key), nullptr);
      const Verdict verdict = run(member.key, system, variant);
      EXPECT_EQ(to_string(verdict.status), member.value.find("status")->text()) << verdict.reason;
      expect_tasks(member.value, system, verdict);
      expect_chains(member.value, system, verdict);
      expect_plan(member.value, system, verdict);
      expect_figure(member.value, "gpu_completion", system, verdict);
      expect_figure(member.value, "gpu_thresholds", system, verdict);
      ++checked;
    }
  }
  EXPECT_GE(checked, 4);
}

TEST_P(PipelineCase, IsNotCoveredAsPublished) {
  const System system = read(text_of(GetParam() + ".system.json"));
  for (const Method* method : registry()) {
    for (const std::string_view variant : method->variants) {
      if (variant != "paper") continue;
      const Verdict verdict = run(method->id, system, variant);
      EXPECT_EQ(verdict.status, Status::kNotApplicable) << method->id;
      EXPECT_NE(verdict.reason.find("the paper has no jitter"), std::string::npos)
          << verdict.reason;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pipelines, PipelineCase,
                         testing::Values("01-worked", "02-jitter-everywhere", "03-after-tree",
                                         "04-thresholds-at-the-fixed-point", "05-chains",
                                         "06-sporadic-methods"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tactus::gcaps::tests
