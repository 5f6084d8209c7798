#pragma once

#include <optional>
#include <string>

#include "tactus/decide/choose.hpp"
#include "tactus/verbs/methods.hpp"

namespace tactus::verbs {

/// The one method that is named, with these options; where none is named, the method that the file
/// deploys, or the best one.
/// @param methods empty: none was named
/// @param variant where the caller asked for one
/// @param fits which methods may be taken where none is named; empty: all
Answer<decide::Choice> choose_one(const Methods& methods, const System& system,
                                  const Options& options, const std::optional<std::string>& variant,
                                  const std::function<bool(const Method&)>& fits = {});

/// "method: gcaps.boost.suspend (safe), which the file deploys": where nobody named one.
std::string choice_text(const decide::Choice& choice);

}  // namespace tactus::verbs
