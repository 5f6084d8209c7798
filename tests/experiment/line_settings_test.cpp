#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tactus/experiment/judge/judge.hpp"
#include "tests/experiment/support.hpp"

namespace tactus::experiment {
namespace {

/// The common workload; what `settings` says holds for all lines.
std::string text(std::string_view settings, std::string_view lines,
                 std::string_view measure = "accepted") {
  return fmt::format(R"json({{
  "tactus_experiment": 1, "name": "forms", "title": "Forms of one draw",
  "recipe": "common", "settings": {{ {} }},
  "sweep": {{ "label": "U", "set": ["utilization"], "values": [0.3, 0.5] }},
  "sets": 12, "measure": "{}",
  "lines": [ {} ]
}})json",
                     settings, measure, lines);
}

Experiment read(const std::string& file) {
  ReadExperiment read = read_experiment(file);
  EXPECT_TRUE(read.experiment) << (read.diagnostics.empty() ? ""
                                                            : read.diagnostics.front().message);
  return read.experiment.value();
}

constexpr std::string_view kAll = R"({ "method": "gcaps.boost.suspend" },
  { "method": "pbs.graph", "set": { "form": "held" } },
  { "method": "rtgpu" },
  { "method": "pbs.edf-serial", "set": { "form": "held" } })";

TEST(LineSettings, GiveALineAnotherFormOfTheSameSets) {
  const Experiment both = read(text("", kAll));
  const Experiment as_is =
      read(text("", R"({ "method": "gcaps.boost.suspend" }, { "method": "rtgpu" })"));
  const Experiment held = read(
      text(R"("form": "held")", R"({ "method": "pbs.graph" }, { "method": "pbs.edf-serial" })"));
  const Judge mixed(both), plain(as_is), tables(held);
  int accepted = 0;
  for (std::size_t point = 0; point < 2; ++point) {
    for (std::int64_t set = 0; set < 12; ++set) {
      const auto all = mixed(point, set, {}), direct = plain(point, set, {}),
                 table = tables(point, set, {});
      ASSERT_TRUE(all && direct && table);
      EXPECT_EQ(all->curves[0].status, direct->curves[0].status);
      EXPECT_EQ(all->curves[1].status, table->curves[0].status);
      EXPECT_EQ(all->curves[2].status, direct->curves[1].status);
      EXPECT_EQ(all->curves[3].status, table->curves[1].status);
      EXPECT_EQ(all->utilisation, direct->utilisation);  // that of the first line
      accepted += all->curves[1].status == Status::kSchedulable ? 1 : 0;
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST(LineSettings, AreSimulatedInTheirForm) {
  const Experiment both = read(text("", kAll, "tightness"));
  const Judge judge(both);
  const auto judged = judge(0, 0, {});
  ASSERT_TRUE(judged);
  for (const CurveVerdict& curve : judged->curves) {
    ASSERT_EQ(curve.status, Status::kSchedulable);
    ASSERT_TRUE(curve.value);
    EXPECT_GE(*curve.value, 1'000'000);  // no simulated response exceeds its bound
  }
}

TEST(LineSettings, DecideTheResults) {
  EXPECT_NE(key_of(read(text("", R"({ "method": "rtgpu" })"))),
            key_of(read(text("", R"({ "method": "rtgpu", "set": { "sms": 8 } })"))));
}

TEST(LineSettings, AreCheckedWithTheirPlace) {
  const auto complaint = [](std::string_view lines) {
    const ReadExperiment read = read_experiment(text("", lines));
    EXPECT_FALSE(read.experiment);
    return read.diagnostics.empty() ? "" : to_string(read.diagnostics.front(), "f");
  };
  EXPECT_EQ(complaint(R"({ "method": "rtgpu", "set": { "from": "held" } })"),
            "f:6:44: recipe common has no parameter `from`; did you mean `form`?");
  EXPECT_EQ(complaint(R"({ "method": "rtgpu", "set": { "form": "hold" } })"),
            "f:6:52: parameter `form` must be one of as-is, one-core, own-copies, held, one-graph, "
            "got `hold`");
  EXPECT_EQ(complaint(R"({ "method": "rtgpu", "set": { "share-max": 0.01 } })"),
            "f:6:42: at `0.3`: 4 tasks of at most 0.01 cannot have the utilization 0.3 together");
}

}  // namespace
}  // namespace tactus::experiment
