#include "tactus/verbs/slack.hpp"

namespace tactus::verbs {

Answer<decide::Choice> choose_one(const Methods& methods, const System& system,
                                  const Options& options,
                                  const std::optional<std::string>& variant) {
  if (methods.size() == 1) return decide::Choice{methods.front(), options.variant, {}};
  if (methods.size() > 1) {
    return NoAnswer::bad_input("--method must name one method; `tactus methods` lists them");
  }
  Result<std::optional<decide::Choice>> chosen = decide::choose_method(system, options);
  if (!chosen) return NoAnswer::bad_input(chosen.error().message);
  if (!*chosen) {
    return NoAnswer::unknown(
        "no method covers this file; `tactus analyze` says what each of them needs");
  }
  if (variant) (*chosen)->variant = *variant;
  return std::move(**chosen);
}

}  // namespace tactus::verbs
