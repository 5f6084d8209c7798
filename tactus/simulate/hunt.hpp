#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/simulate/policy.hpp"
#include "tactus/simulate/search.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::simulate {

/// Looks for a run that takes longer than a method proved: random systems, many scenarios each.
struct Hunt {
  const Method* method = nullptr;
  Options options;
  const Recipe* recipe = nullptr;
  std::uint64_t systems = 1000;
  std::uint64_t runs = 10;  ///< per system; when climbing, per task with a deadline
  Search search = Search::kRandom;
  std::uint32_t jobs = 20;       ///< of the slowest task in a run
  std::optional<Time> duration;  ///< or so long
  std::uint64_t seed = 1;
  Seeing completions = Seeing::kAtOnce;
};

/// A system and a scenario that show it, as small as they could be made.
struct Catch {
  System system;
  trace::Scenario scenario;
  trace::Violation violation;
};

struct Bag {
  std::uint64_t systems = 0;     ///< drawn
  std::uint64_t promised = 0;    ///< of them with at least one bound
  std::uint64_t runs = 0;        ///< simulated
  std::uint64_t violations = 0;  ///< runs that exceeded a bound
  std::vector<Catch> catches;    ///< one per system, the first few
  std::string broken_rule;       ///< a policy broke a rule of the engine
};

/// At most this many violations are made smaller and kept.
inline constexpr std::size_t kMostCatches = 5;

/// Searches on `options.threads` threads; the result does not depend on their number. Stops early
/// when asked to, and then returns what it has found.
Bag hunt(const Hunt& hunt);

}  // namespace tactus::simulate
