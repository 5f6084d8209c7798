#include "tactus/verbs/generate.hpp"

#include <fmt/core.h>

namespace tactus::verbs {

System Generator::system(std::uint64_t seed, std::uint64_t index) const {
  return *generate(*recipe, Settings(recipe->parameters, given), seed, index);
}

Answer<Generator> generator_of(std::string_view name, Generator::Given given) {
  const Recipe* recipe = find_recipe(name);
  if (recipe == nullptr) {
    std::vector<std::string_view> names;
    for (const Recipe* known : recipes()) names.push_back(known->name);
    return NoAnswer::bad_input(
        fmt::format("there is no recipe {}{}; `tactus generate --list` shows them", quote(name),
                    suggestion(name, names)));
  }
  if (const auto bad = find_bad_setting(*recipe, Settings(recipe->parameters, given))) {
    return NoAnswer::bad_input(fmt::format("{}: {}", recipe->name, bad->message));
  }
  return Generator{recipe, std::move(given)};
}

}  // namespace tactus::verbs
