#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/decide/deployment.hpp"
#include "tactus/methods/many.hpp"
#include "tactus/methods/method.hpp"

/// Where each method stands with a system: is every deadline proved, and does tactus run it here?
///
///     const auto asked = questions(registry(), {}, Variants::kAlsoDeployable);
///     const auto answers = analyze_many(system, asked);
///     const auto order = standings(system, asked, answers);
///     answers[order.front().place];   // the method to deploy
namespace tactus::decide {

enum class Group {
  kRunnable,       ///< proved, and tactus runs it here
  kNotRunHere,     ///< proved, but simulated only, or tactusd has no core of its own
  kNotProved,      ///< not every deadline is proved
  kUndecided,      ///< a limit was reached first
  kNotApplicable,  ///< the method does not cover the system
};

/// The task that comes closest to its deadline, or the chain to its requirement.
struct LeastSlack {
  std::string whose;          ///< "camera", "chain see-steer"
  std::int64_t permille = 0;  ///< of that, rounded down
};

/// The least slack of a verdict that proves every deadline; nothing where a task has no bound.
std::optional<LeastSlack> least_slack(const System& system, const Verdict& verdict);

struct Standing {
  std::size_t place = 0;  ///< of the question and its verdict
  Group group = Group::kNotApplicable;
  std::optional<Way> way;  ///< how tactus runs plans of this method and variant
  std::string why_not;     ///< where it is not run here: why
  bool no_core = false;    ///< its bounds count on a core for the arbiter, and there is none
  std::optional<LeastSlack> least;
};

enum class Variants {
  kAsAsked,
  kAlsoDeployable,  ///< and also the variant that describes what tactus runs, where it is another
};

/// What to ask about a system: each method in the variant of the options, and then, where they are
/// wanted, the same methods in the variants that tactus runs.
std::vector<Question> questions(std::span<const Method* const> methods, const Options& options,
                                Variants variants);

/// The best first: proved and run here, with the largest of the least slacks first; proved but not
/// run here, in the same order, last those that count on a core for an arbiter; not proved, with the
/// fewest failing tasks first; the rest.
std::vector<Standing> standings(const System& system, std::span<const Question> questions,
                                std::span<const Verdict> verdicts);

}  // namespace tactus::decide
