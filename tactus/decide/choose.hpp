#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tactus/decide/standing.hpp"
#include "tactus/methods/method.hpp"

namespace tactus::decide {

/// A method to ask about a system, and why this one.
struct Choice {
  const Method* method = nullptr;
  std::string variant;
  std::string why;  ///< "which the file deploys"
};

/// The method that the file deploys; else the first of all `standings`: what `analyze` calls the
/// best. Nothing where none covers the system. An error where the file deploys what there is not.
/// @param variants of `options` alone, or also those that tactus runs
/// @param fits which methods the caller can use; empty: all. What the file deploys is not asked.
Result<std::optional<Choice>> choose_method(const System& system, const Options& options,
                                            Variants variants,
                                            const std::function<bool(const Method&)>& fits = {});

}  // namespace tactus::decide
