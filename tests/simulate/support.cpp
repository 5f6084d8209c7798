#include "tests/simulate/support.hpp"

#include <gtest/gtest.h>

#include "tactus/methods/promise.hpp"
#include "tactus/simulate/registry.hpp"

namespace tactus::simulate {

Seen simulate(const System& system, std::string_view method, std::string_view scenario,
              std::uint32_t jobs, std::string_view variant, std::uint64_t seed) {
  Seen seen;
  Options options;
  options.variant = variant;
  seen.verdict = analyze(*find_method(method), system, options);
  const auto policy = find_policy(method)->make(system, seen.verdict);
  if (!policy) {
    ADD_FAILURE() << policy.error().message;
    return seen;
  }
  Until until;
  until.audit = true;
  until.jobs = jobs;
  seen.outcome = run(system, **policy, *trace::parse_scenario(scenario, seed), until, &seen.trace);
  EXPECT_EQ(seen.outcome.broken_rule, "");
  hold_to(seen.verdict, seen.outcome);
  return seen;
}

Schedule schedule_of(const System& system, const trace::Trace& trace) {
  const auto units = [&](Time time) {
    return static_cast<int>(time.ns() / nanoseconds_in(system.time_unit));
  };
  Schedule schedule;
  for (const trace::Interval& piece : trace.intervals) {
    schedule[system.tasks[piece.task].nodes[piece.node].name]
            [{units(piece.start), units(piece.end)}] += static_cast<int>(piece.width);
  }
  return schedule;
}

Bag short_hunt(std::string_view method, std::string_view variant, std::uint64_t systems) {
  Hunt what;
  what.method = find_method(method);
  what.options.variant = variant;
  what.recipe = *hunting_ground(*what.method);
  what.systems = systems;
  what.runs = 6;
  what.jobs = 5;
  return hunt(what);
}

}  // namespace tactus::simulate
