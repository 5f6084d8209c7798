#include "tactus/methods/option_values.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"

namespace tactus {
namespace {

bool all_of(std::string_view text, std::string_view these) {
  return !text.empty() && text.find_first_not_of(these) == std::string_view::npos;
}

/// Far above any useful value, far below any overflow.
bool below_a_billion(std::string_view decimal) {
  return std::min(decimal.find('.'), decimal.size()) <= 9;
}

}  // namespace

std::string problem_with(const OptionSpec& option, std::string_view value) {
  const std::string_view form = option.value;
  const bool number = below_a_billion(value) && plain_decimal(value, 0).has_value();
  bool good = !value.empty();
  std::string expected(form.empty() ? "on" : form);
  if (form == "N") {
    good = number && value.find('.') == std::string_view::npos;
    expected = "a whole number from 0 to 999999999";
  } else if (form.find('|') != std::string_view::npos) {
    good = good && value.find('|') == std::string_view::npos &&
           fmt::format("|{}|", form).find(fmt::format("|{}|", value)) != std::string::npos;
    expected = fmt::format("one of {}", form);
  } else if (all_of(form, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    good = number;
    expected = "a number from 0 to 999999999";
  }
  if (good) return {};
  return fmt::format("--{} must be {}, got {}", option.name, expected, quote(value));
}

std::string problem_with(const Method& method, const Options& options) {
  for (const OptionSpec& option : method.options) {
    const auto given = options.settings.find(option.name);
    if (given == options.settings.end()) continue;
    if (std::string problem = problem_with(option, given->second); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

}  // namespace tactus
