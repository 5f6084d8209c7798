#include "tactus/cli/numbers.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"

namespace tactus::cli {

Check::Check(const CLI::Validator& validator)
    : validator_(std::make_shared<const CLI::Validator>(validator)) {}

Check whole_number(long least) {
  return Check(CLI::Validator(
      [least](std::string& text) {
        const bool digits =
            !text.empty() && text.size() <= 9 &&
            std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (digits && std::stol(text) >= least) return std::string();
        return "must be a whole number from " + std::to_string(least) + " to 999999999, got " +
               text;
      },
      "N"));
}

Check between(int least, int most) { return Check(CLI::Range(least, most)); }

Check decimal_number() {
  return Check(CLI::Validator(
      [](std::string& text) {
        const std::size_t point = std::min(text.find('.'), text.size());
        const auto digits = [](const std::string& part) {
          return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
        };
        const bool good = digits(text.substr(0, point)) &&
                          (point == text.size() || digits(text.substr(point + 1)));
        return good ? std::string() : "must be a decimal number > 0, got " + text;
      },
      "TIME"));
}

Check one_of(std::span<const std::string_view> words) {
  return one_of(std::vector<std::string>(words.begin(), words.end()));
}

Check one_of(std::vector<std::string> words) { return Check(CLI::IsMember(std::move(words))); }

Check one_of(std::initializer_list<std::string_view> words) {
  return one_of(std::vector<std::string>(words.begin(), words.end()));
}

Check assignment() {
  return Check(CLI::Validator(
      [](std::string& text) {
        if (text.find('=') != std::string::npos) return std::string();
        return quote(text) + " has no =VALUE, as in camera.detect.wcet=11";
      },
      ""));
}

Check kernel_kind() { return one_of({"compute", "special", "branch", "memory", "mixed"}); }

}  // namespace tactus::cli
