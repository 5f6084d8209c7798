// Costs of known GPUs: each is in the record that it names, and a file gets what it lacks.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <fstream>
#include <sstream>

#include "tactus/base/decimal.hpp"
#include "tactus/decide/gpu_costs.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/read.hpp"

namespace tactus::decide {
namespace {

std::string text_of(std::string_view file) {
  std::ifstream in(support::source_path(std::string(file)));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(GpuCosts, AreTheSumOfFiguresOfTheirRecord) {
  for (const GpuProfile& profile : gpu_profiles()) {
    for (const GpuCost& cost : profile.costs) {
      const std::string record = text_of(cost.record);
      ASSERT_FALSE(record.empty()) << cost.record;
      std::int64_t sum = 0;
      std::istringstream figures{std::string(cost.seen)};
      for (std::string figure; figures >> figure;) {
        if (figure == "+") continue;
        EXPECT_NE(record.find(figure), std::string::npos) << cost.record << ": " << figure;
        sum += parse_scaled(figure, cost.unit == "us" ? 3 : 6, Rounding::kUp)->value;
      }
      EXPECT_EQ(sum, cost.time.ns()) << profile.name << " " << cost.attribute;
    }
  }
}

/// Real-time tasks and best-effort ones, each with work on the GPU.
System users(int real_time, int best_effort, const std::string& gpu = "") {
  std::string tasks;
  for (int k = 0; k < real_time + best_effort; ++k) {
    tasks += fmt::format(R"({}{{"name":"t{}",{},"nodes":[{{"name":"n","on":"gpu","wcet":1}}]}})",
                         k == 0 ? "" : ",", k,
                         k < real_time ? R"("period":100)" : R"("best_effort":true)");
  }
  return support::read(fmt::format(
      R"({{"tactus":1,"platform":{{"elements":[{{"name":"cpu","kind":"cpu","units":4}},
          {{"name":"gpu","kind":"gpu","units":4{}}}]}},"tasks":[{}]}})",
      gpu, tasks));
}

Time update_of(System system) {
  Edited edited{std::move(system)};
  EXPECT_FALSE(fill_in_costs(edited, "h200/channel"));
  return *edited.system.platform.elements[1].runlist_update;
}

TEST(GpuCosts, CountEachProgramThatMayHaveToLeave) {
  const Time one = update_of(users(1, 0));
  EXPECT_EQ(one, Time::from_us(2668));
  EXPECT_EQ(update_of(users(2, 0)), one);
  EXPECT_EQ(update_of(users(1, 3)), 3 * one);
  EXPECT_EQ(update_of(users(2, 3)), 4 * one);
}

TEST(GpuCosts, DoNotTouchWhatTheFileGives) {
  Edited edited{users(2, 0, R"(,"runlist_update":0.5)")};
  EXPECT_FALSE(fill_in_costs(edited, "h200/channel"));
  EXPECT_EQ(edited.system.platform.elements[1].runlist_update, Time::from_us(500));
  EXPECT_EQ(edited.system.platform.elements[1].time_slice, Time::from_us(2048));
  ASSERT_EQ(edited.changes.size(), 3U);
  EXPECT_EQ(to_string(edited.changes[0]), "gpu.time_slice: (not given) -> 2.048");
  const auto changes = edited.changes.size();
  EXPECT_FALSE(fill_in_costs(edited, "h200/channel"));
  EXPECT_EQ(edited.changes.size(), changes) << "there is nothing more to give";
}

TEST(GpuCosts, RefuseWhatTheyCannotBeGivenTo) {
  Edited edited{users(1, 0)};
  EXPECT_EQ(fill_in_costs(edited, "rtx/channel")->message,
            "--costs rtx/channel: there is no such profile; there are h200/channel, h200/driver "
            "(tactus gpu profiles)");
  edited.system.time_unit = TimeUnit::kUnit;
  EXPECT_EQ(
      fill_in_costs(edited, "h200/channel")->message,
      "--costs h200/channel: the times of the system have no unit, those of the profile have");
}

}  // namespace
}  // namespace tactus::decide
