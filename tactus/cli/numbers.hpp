#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::cli {

/// Accepts digits only, at least `least` and below 10^9; CLI11 by itself wraps and saturates.
inline CLI::Validator whole_number(long least) {
  return CLI::Validator(
      [least](std::string& text) {
        const bool digits =
            !text.empty() && text.size() <= 9 &&
            std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (digits && std::stol(text) >= least) return std::string();
        return "must be a whole number from " + std::to_string(least) + " to 999999999, got " +
               text;
      },
      "N");
}

/// Accepts a plain decimal such as 12.5, which is then read exactly.
inline CLI::Validator decimal_number() {
  return CLI::Validator(
      [](std::string& text) {
        const std::size_t point = std::min(text.find('.'), text.size());
        const auto digits = [](const std::string& part) {
          return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
        };
        const bool good = digits(text.substr(0, point)) &&
                          (point == text.size() || digits(text.substr(point + 1)));
        return good ? std::string() : "must be a decimal number > 0, got " + text;
      },
      "TIME");
}

/// Accepts one of a list of words.
inline CLI::Validator one_of(std::span<const std::string_view> words) {
  return CLI::IsMember(std::vector<std::string>(words.begin(), words.end()));
}

/// What synthetic work on a GPU can be.
inline CLI::Validator kernel_kind() {
  return CLI::IsMember({"compute", "special", "branch", "memory", "mixed"});
}

}  // namespace tactus::cli
