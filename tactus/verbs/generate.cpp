#include "tactus/verbs/generate.hpp"

#include <fmt/core.h>

#include "tactus/model/writer.hpp"

namespace tactus::verbs {

System Generator::system(std::uint64_t seed, std::uint64_t index) const {
  return *generate(*recipe, Settings(recipe->parameters, given), seed, index);
}

Answer<Generator> generator_of(std::string_view name, const Assignments& assignments) {
  NamedValues given;
  for (const std::string& one : assignments.all) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) {
      return NoAnswer::bad_input(fmt::format("--set needs name=value, got {}", quote(one)));
    }
    given[one.substr(0, equals)] = one.substr(equals + 1);
  }
  const Recipe* recipe = find_recipe(name);
  if (recipe == nullptr) {
    std::vector<std::string_view> names;
    for (const Recipe* known : recipes()) names.push_back(known->name);
    const std::string meant = suggestion(name, names);
    return NoAnswer::bad_input(
        fmt::format("there is no recipe {}{}", quote(name),
                    meant.empty() ? "; `tactus lab generate --list` shows them" : meant));
  }
  if (const auto bad = find_bad_setting(*recipe, Settings(recipe->parameters, given))) {
    return NoAnswer::bad_input(fmt::format("{}: {}", recipe->name, bad->message));
  }
  return Generator{recipe, std::move(given)};
}

void describe(GenerateQuestion& question, Fields& is) {
  is("recipe", question.recipe, "Name of the recipe").positional("RECIPE");
  is("set", question.set, "Set a parameter; may be repeated").shows("NAME=VALUE");
  is("seed", question.seed, "Same seed, same systems, on every machine");
  is("count", question.count, "How many systems").range(1).by_command_line();
  is("index", question.index, "Which of the systems of this seed").by_library();
}

std::string Generated::json() const { return write_system(system); }

Answer<Generated> answer(const GenerateQuestion& question, const Companion&) {
  const auto generator = generator_of(question.recipe, question.set);
  if (!generator) return generator.none();
  return Generated{generator->system(question.seed, question.index)};
}

}  // namespace tactus::verbs
