#include "tests/simulate/running.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tactus/simulate/registry.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::simulate::testing {

trace::Trace played(const System& system, std::string_view method, const Verdict& verdict,
                    std::int64_t horizon) {
  const auto policy = find_policy(method)->make(system, verdict);
  if (!policy) throw std::runtime_error(policy.error().message);
  trace::Scenario scenario;
  scenario.releases = trace::Releases::kOffsets;
  Until until;
  until.audit = true;
  until.duration = horizon * Time::from_ns(nanoseconds_in(system.time_unit));
  trace::Trace trace;
  EXPECT_EQ(run(system, **policy, scenario, until, &trace).broken_rule, "");
  return trace;
}

std::string shown(const System& system, const trace::Trace& trace) {
  std::vector<trace::Interval> intervals = trace.intervals;
  std::stable_sort(
      intervals.begin(), intervals.end(), [](const trace::Interval& a, const trace::Interval& b) {
        return std::tie(a.start, a.task, a.activity) < std::tie(b.start, b.task, b.activity);
      });
  std::string text;
  for (const trace::Interval& interval : intervals) {
    const Task& task = system.tasks[interval.task];
    const bool spins = interval.activity == trace::Activity::kSpin;
    const bool updates = interval.activity == trace::Activity::kUpdate;
    text += fmt::format("{}{}.{} [{},{}]", text.empty() ? "" : ", ", task.name,
                        spins     ? "spin"
                        : updates ? "update"
                                  : task.nodes[interval.node].name,
                        format_time(interval.start, system.time_unit),
                        format_time(interval.end, system.time_unit));
  }
  return text;
}

Bag hunted(std::string_view method, std::string_view variant, std::uint64_t systems) {
  Hunt game;
  game.method = find_method(method);
  game.options.variant = variant;
  game.recipe = *hunting_ground(*game.method);
  game.systems = static_cast<std::uint64_t>(support::scaled(static_cast<int>(systems)));
  Bag bag = hunt(game);
  EXPECT_EQ(bag.broken_rule, "");
  EXPECT_GT(bag.promised, bag.systems / 10) << method;  // else there was nothing to violate
  return bag;
}

}  // namespace tactus::simulate::testing
