#include <vector>

#include "tactus/generate/recipe.hpp"

namespace tactus {

std::span<const Recipe* const> recipes() {
  static const std::vector<const Recipe*> kAll = {};
  return kAll;
}

}  // namespace tactus
