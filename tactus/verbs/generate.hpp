#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tactus/base/question.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/verbs/answer.hpp"

namespace tactus::verbs {

/// A recipe with settings that were found good.
struct Generator {
  const Recipe* recipe = nullptr;
  NamedValues given;

  System system(std::uint64_t seed, std::uint64_t index) const;
};

Answer<Generator> generator_of(std::string_view recipe, const Assignments& given);

/// Random systems.
struct GenerateQuestion {
  std::string recipe;
  Assignments set;
  std::uint64_t seed = 1;
  std::uint64_t count = 1;  ///< on the command line
  std::uint64_t index = 0;  ///< for a program, which asks for them one by one
};
void describe(GenerateQuestion& question, Fields& is);

struct Generated {
  System system;

  static Exit exit() { return kYes; }
  std::string json() const;
};
/// The system of that index.
Answer<Generated> answer(const GenerateQuestion& question, const Companion& companion);

}  // namespace tactus::verbs
