#pragma once

#include <string>
#include <string_view>

#include "tactus/methods/method.hpp"

/// What people type as values of options, checked before any system is read.
namespace tactus {

/// What is wrong with a value of an option: "--k must be ..., got ..."; empty when nothing is.
/// Beyond what `OptionSpec::value` says, a form in capitals ("SECONDS") stands for a decimal >= 0.
std::string problem_with(const OptionSpec& option, std::string_view value);

/// The same for the first bad one among the given options.
std::string problem_with(const Method& method, const Options& options);

}  // namespace tactus
