#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/growing_list.hpp"
#include "tactus/generate/boost_small.hpp"
#include "tactus/generate/common.hpp"
#include "tactus/generate/dag_recipes.hpp"
#include "tactus/generate/dag_small.hpp"
#include "tactus/generate/gang_recipes.hpp"
#include "tactus/generate/gang_small.hpp"
#include "tactus/generate/gcaps_small.hpp"
#include "tactus/generate/gcaps_table3.hpp"
#include "tactus/generate/own_recipes.hpp"
#include "tactus/generate/pbs_slowdown.hpp"
#include "tactus/generate/pbs_small.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/generate/rtgpu_small.hpp"
#include "tactus/generate/rtgpu_table1.hpp"

namespace tactus {

namespace {

constexpr std::size_t kMost = 256;

GrowingList<const Recipe*, kMost>& all_recipes() {
  static GrowingList<const Recipe*, kMost> all = {
      &common::kCommon,
      &gcaps::kTable3,
      &gcaps::kSmall,
      &gcaps::boost::kSmall,
      &gcaps::boost::kCarryIn,
      &gcaps::boost::kLongPhases,
      &gcaps::boost::kTiny,
      &dag::kLayered,
      &dag::kLaplace,
      &dag::kGauss,
      &dag::kStencil,
      &dag::kSmall,
      &gang::kFig8,
      &gang::kFig9,
      &gang::kFig10,
      &gang::kSmall,
      &pbs::kSlowdown,
      &pbs::kSmall,
      &rtgpu::kTable1,
      &rtgpu::kSmall,
  };
  return all;
}

}  // namespace

std::span<const Recipe* const> recipes() { return all_recipes().all(); }

std::optional<Error> add_recipe(const Recipe& recipe) {
  if (recipe.make == nullptr || recipe.name.empty()) {
    return Error{fmt::format("recipe {} has no name or no `make`", quote(recipe.name))};
  }
  const auto clashes = [&](const Recipe* other) { return other->name == recipe.name; };
  return why_not_added(all_recipes().add(&recipe, clashes), "recipe", "recipes", recipe.name,
                       kMost);
}

bool is_own(const Recipe& recipe) {
  const auto own = all_recipes().added();
  return std::find(own.begin(), own.end(), &recipe) != own.end();
}

}  // namespace tactus
