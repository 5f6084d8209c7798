#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tactus/base/random.hpp"
#include "tactus/decide/knob.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"
#include "tests/support/read.hpp"

/// Every claim of every method to keep its order (`Method::monotone`), tried on random systems: what
/// is proved is proved too where one knob is turned to the easier side.
namespace tactus::decide {
namespace {

bool proved(const Method& method, const System& system, std::string_view variant) {
  Options options;
  options.variant = variant;
  options.plan = options.terms = false;
  return analyze(method, system, options).status == Status::kSchedulable;
}

/// A value between the file's and one end of the range; near the file's more often than far from it.
std::int64_t somewhere(Random& random, std::int64_t now, std::int64_t end) {
  const std::int64_t distance = std::abs(end - now);
  const std::int64_t near =
      std::min(distance, std::abs(now) / (std::int64_t{1} << random.integer(0, 6)));
  const std::int64_t step = random.integer(0, std::max<std::int64_t>(near, 1));
  return end > now ? now + std::min(step, distance) : now - std::min(step, distance);
}

struct Tried {
  int pairs = 0;    ///< of systems of which the harder one was proved
  int broken = 0;   ///< and the easier one was not
  std::string how;  ///< the first of them
};

/// Tries a claim, or its absence: `claimed(knob, method, verdict)` says which knobs to turn.
template <typename Claimed>
Tried try_on(const Method& method, const Recipe& recipe, std::uint64_t seed, int systems,
             Claimed claimed) {
  Tried tried;
  for (int k = 0; k < systems; ++k) {
    Random random(seed, static_cast<std::uint64_t>(k));
    const auto drawn =
        generate(recipe, Settings(recipe.parameters, {}), seed, static_cast<std::uint64_t>(k));
    if (!drawn) continue;
    const System system = with_fixed_priorities(*drawn);
    for (std::string_view variant : method.variants) {
      if (!variant.starts_with(kSafe)) continue;
      Options options;
      options.variant = variant;
      const Verdict verdict = analyze(method, system, options);
      if (verdict.status == Status::kNotApplicable) continue;
      for (const Knob& knob : knobs_of(system)) {
        if (!claimed(knob, method, verdict)) continue;
        const std::int64_t now = value_of(knob, system);
        const Range range = range_of(knob, system);
        const std::int64_t hard = somewhere(random, now, range.hardest);
        const std::int64_t harder = somewhere(random, hard, range.hardest);
        if (hard == harder || !proved(method, turned(system, knob, harder), variant)) continue;
        ++tried.pairs;
        if (proved(method, turned(system, knob, hard), variant)) continue;
        if (tried.broken++ == 0) {
          tried.how = fmt::format("{} {} seed {} system {}: {} does at {} and not at {}", method.id,
                                  variant, seed, k, name_of(knob, system), harder, hard);
        }
      }
    }
  }
  return tried;
}

TEST(Monotone, HoldsForEveryClaimOfEveryMethod) {
  int methods = 0;
  for (const Method* method : registry()) {
    const Monotone& claims = method->monotone;
    if (!claims.times && !claims.periods && !claims.deadlines && !claims.costs) continue;
    const Recipe* recipe = find_recipe(method->behaviour.recipe);
    ASSERT_NE(recipe, nullptr) << method->id;
    const Tried tried = try_on(*method, *recipe, 1, 2000, is_monotone);
    EXPECT_GT(tried.pairs, 500) << method->id;
    EXPECT_EQ(tried.broken, 0) << tried.how;
    ++methods;
  }
  EXPECT_EQ(methods, 9);
}

/// Where deadlines stand in for responses a longer time shortens a jitter, and can make one job
/// fewer count: what `is_monotone` keeps apart is really different.
TEST(Monotone, DoesNotHoldOfGpuPrioritiesInAnotherOrderWhichIsNotClaimed) {
  const Method& method = *find_method("gcaps.suspend.prio");
  const Recipe* recipe = find_recipe(method.behaviour.recipe);
  const Tried tried =
      try_on(method, *recipe, 1, 4000, [](const Knob& knob, const Method&, const Verdict&) {
        return knob.what == Knob::What::kDeadline;
      });
  EXPECT_GT(tried.broken, 0) << "of " << tried.pairs;
}

TEST(Monotone, IsNotClaimedOfThePublishedFormulas) {
  const Method& method = *find_method("gcaps.suspend");
  Verdict verdict;
  verdict.variant = "paper";
  EXPECT_FALSE(is_monotone({.what = Knob::What::kAllTimes}, method, verdict));
  verdict.variant = "safe";
  EXPECT_TRUE(is_monotone({.what = Knob::What::kAllTimes}, method, verdict));
  verdict.hold_only_together = true;
  EXPECT_FALSE(is_monotone({.what = Knob::What::kAllTimes}, method, verdict));
}

}  // namespace
}  // namespace tactus::decide
