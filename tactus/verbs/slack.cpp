#include "tactus/verbs/slack.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tactus::verbs {

Answer<decide::Choice> choose_one(const Methods& methods, const System& system,
                                  const Options& options, const std::optional<std::string>& variant,
                                  const std::function<bool(const Method&)>& fits) {
  if (methods.size() == 1) return decide::Choice{methods.front(), options.variant, {}};
  if (methods.size() > 1) {
    return NoAnswer::bad_input("--method must name one method; `tactus methods` lists them");
  }
  Result<std::optional<decide::Choice>> chosen = decide::choose_method(
      system, options, variant ? decide::Variants::kAsAsked : decide::Variants::kAlsoDeployable,
      fits);
  if (!chosen) return NoAnswer::bad_input(chosen.error().message);
  if (!*chosen) {
    return NoAnswer::unknown(
        "no method covers this file; `tactus analyze` says what each of them needs");
  }
  if (variant) (*chosen)->variant = *variant;
  // Of methods that are named this is known before the file is read.
  for (const auto& [name, value] : options.settings) {
    const auto& own = (*chosen)->method->options;
    if (std::any_of(own.begin(), own.end(), [&](const auto& each) { return each.name == name; }))
      continue;
    return NoAnswer::bad_input(fmt::format("{}, {}, has no option --{}; name a method that has it",
                                           (*chosen)->method->id, (*chosen)->why, name));
  }
  return std::move(**chosen);
}

std::string choice_text(const decide::Choice& choice) {
  return fmt::format("method: {} ({}), {}", choice.method->id, choice.variant, choice.why);
}

}  // namespace tactus::verbs
