#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/hunt.hpp"
#include "tests/support/read.hpp"

namespace tactus::simulate {

using support::read;
using support::read_file;

/// What was proved and what was then seen.
struct Seen {
  Verdict verdict;
  trace::Observed outcome;
  trace::Trace trace;

  bool exceeds_a_bound() const { return !trace::violations(outcome).empty(); }
};

/// Runs the policy behind `method`; `scenario` as on the command line.
Seen simulate(const System& system, std::string_view method, std::string_view scenario,
              std::uint32_t jobs = 1, std::string_view variant = kSafe, std::uint64_t seed = 1);

/// How many units (or lanes) each node had, from when to when, in whole units of time.
using Schedule = std::map<std::string, std::map<std::pair<int, int>, int>>;
Schedule schedule_of(const System& system, const trace::Trace& trace);

/// A short hunt for violations of `method`.
Bag short_hunt(std::string_view method, std::string_view variant, std::uint64_t systems);

}  // namespace tactus::simulate
