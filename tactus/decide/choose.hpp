#pragma once

#include <optional>
#include <string>

#include "tactus/methods/method.hpp"

namespace tactus::decide {

/// A method to ask about a system, and why this one.
struct Choice {
  const Method* method = nullptr;
  std::string variant;
  std::string why;  ///< "which the file deploys"
};

/// The method that the file deploys; else, of those that prove every deadline, the one under which
/// all times may grow most; else the one that comes nearest. Nothing where none covers the system.
/// Methods that are not known to keep their order when times grow are chosen only where no other
/// proves the deadlines. An error where the file deploys what there is not.
Result<std::optional<Choice>> choose_method(const System& system, const Options& options);

}  // namespace tactus::decide
