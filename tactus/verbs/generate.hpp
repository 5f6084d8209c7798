#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tactus/generate/recipe.hpp"
#include "tactus/verbs/answer.hpp"

namespace tactus::verbs {

/// A recipe with settings that were found good.
struct Generator {
  using Given = std::map<std::string, std::string, std::less<>>;

  const Recipe* recipe = nullptr;
  Given given;

  System system(std::uint64_t seed, std::uint64_t index) const;
};

Answer<Generator> generator_of(std::string_view recipe, Generator::Given given);

}  // namespace tactus::verbs
