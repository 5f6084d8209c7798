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
Answer<decide::Choice> choose_one(const Methods& methods, const System& system,
                                  const Options& options,
                                  const std::optional<std::string>& variant);

}  // namespace tactus::verbs
