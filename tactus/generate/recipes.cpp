#include <array>

#include "tactus/generate/boost_small.hpp"
#include "tactus/generate/common.hpp"
#include "tactus/generate/dag_recipes.hpp"
#include "tactus/generate/dag_small.hpp"
#include "tactus/generate/gang_recipes.hpp"
#include "tactus/generate/gang_small.hpp"
#include "tactus/generate/gcaps_small.hpp"
#include "tactus/generate/gcaps_table3.hpp"
#include "tactus/generate/pbs_slowdown.hpp"
#include "tactus/generate/pbs_small.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/generate/rtgpu_small.hpp"
#include "tactus/generate/rtgpu_table1.hpp"

namespace tactus {

std::span<const Recipe* const> recipes() {
  static constexpr auto kAll = std::to_array<const Recipe*>({
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
  });
  return kAll;
}

}  // namespace tactus
