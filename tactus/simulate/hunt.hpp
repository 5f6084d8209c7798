#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/simulate/policy.hpp"
#include "tactus/simulate/run_search.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::simulate {

/// Looks for a run that takes longer than a method proved: many systems, many scenarios each.
struct Hunt {
  const Method* method = nullptr;
  Options options;
  const Recipe* recipe = nullptr;                            ///< of random systems
  std::map<std::string, std::string, std::less<>> settings;  ///< of the recipe, found good
  std::span<const System> given;                             ///< instead of a recipe: these systems
  std::uint64_t systems = 1000;
  std::uint64_t runs = 10;  ///< per system; when climbing, per task with a deadline
  Search search = Search::kRandom;
  std::uint32_t jobs = 20;       ///< of the slowest task in a run
  std::optional<Time> duration;  ///< or so long
  std::uint64_t seed = 1;
  Seeing completions = Seeing::kAtOnce;
  std::size_t most_catches = 5;  ///< violations that are made small and kept
};

/// A system and a scenario that show it, as small as they could be made.
struct Catch {
  System system;
  trace::Scenario scenario;
  trace::Violation violation;
  std::uint64_t place = 0;  ///< of the system it was found in
  trace::JobSpan job = {};  ///< that took so long
  std::string script = {};  ///< of the run, as a document (trace/script_file.hpp)
};

struct Bag {
  std::uint64_t systems = 0;     ///< drawn
  std::uint64_t promised = 0;    ///< of them with at least one bound
  std::uint64_t runs = 0;        ///< simulated
  std::uint64_t violations = 0;  ///< runs that exceeded a bound
  std::vector<Catch> catches;    ///< these runs, the first ones
  /// Systems about which the method said nothing, and why the first time.
  std::uint64_t undecided = 0, not_applicable = 0;
  std::string why_undecided, why_not_applicable;
  std::string broken_rule;  ///< a policy broke a rule of the engine
};

/// Searches on `options.threads` threads; the result does not depend on their number. Stops early
/// when asked to, and then returns what it has found.
Bag hunt(const Hunt& hunt);

}  // namespace tactus::simulate
