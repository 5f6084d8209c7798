#pragma once

#include <span>
#include <string>

#include "tactus/methods/method.hpp"
#include "tactus/report/text/terminal.hpp"

/// What there is to choose from: methods, recipes, bundled experiments.
namespace tactus::report {

/// One line per method.
std::string methods_text(std::span<const Method* const> methods, const Style& style);
/// All about one method, and what can be done with it.
std::string method_text(const Method& method, const Style& style);
std::string methods_json(std::span<const Method* const> methods);

/// Every recipe with its parameters.
std::string recipes_text(const Style& style);
std::string recipes_json();

/// One line per experiment that is part of the program.
std::string bundled_experiments_text(const Style& style);

}  // namespace tactus::report
