#include "tactus/base/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tactus/base/diagnostic.hpp"

namespace tactus {
namespace {

/// Digits, with a point between them where there is one.
bool is_decimal(std::string_view text) {
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::size_t point = text.find('.');
  return digits(text.substr(0, point)) &&
         (point == std::string_view::npos || digits(text.substr(point + 1)));
}

}  // namespace

const AskedField& Fields::at(std::string_view key) const {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [&](const AskedField& field) { return field.key == key; });
  if (found == all_.end()) throw std::logic_error("no such field: " + std::string(key));
  return *found;
}

bool Fields::given(std::string_view key) const {
  return std::any_of(all_.begin(), all_.end(),
                     [&](const AskedField& field) { return field.key == key && field.given; });
}

AskedField& Fields::add(std::string_view key, AskedField::Place place, std::string usual,
                        std::string_view help) {
  return all_.emplace_back(key, std::move(place), std::move(usual), help);
}

std::string fault_of(const AskedField& field, std::int64_t number) {
  if (number >= field.least && number <= field.most) return {};
  return fmt::format("must be a whole number from {} to {}, got {}", field.least, field.most,
                     number);
}

std::string fault_of(const AskedField& field, std::string_view text) {
  if (field.is_decimal && !is_decimal(text)) {
    return fmt::format("must be a decimal number > 0, got {}", quote(text));
  }
  const auto& words = field.words;
  if (words.empty() || std::find(words.begin(), words.end(), text) != words.end()) return {};
  return fmt::format("must be one of {}, got {}{}", fmt::join(words, ", "), quote(text),
                     suggestion(text, words));
}

std::string option_name(const AskedField& field) {
  std::string name = fmt::format("--{}{}", field.is_on() ? "no-" : "", field.key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace tactus
