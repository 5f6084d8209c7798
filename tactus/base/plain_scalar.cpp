#include "tactus/base/plain_scalar.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "tactus/base/json_number.hpp"

namespace tactus::yaml {
namespace {

template <std::size_t kCount>
bool among(std::string_view word, const std::array<std::string_view, kCount>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

PlainScalar meaning_of(std::string_view word) {
  constexpr std::array<std::string_view, 5> kNulls = {"", "~", "null", "Null", "NULL"};
  constexpr std::array<std::string_view, 3> kTrue = {"true", "True", "TRUE"};
  constexpr std::array<std::string_view, 3> kFalse = {"false", "False", "FALSE"};
  if (among(word, kNulls)) return PlainScalar::kNull;
  if (among(word, kTrue)) return PlainScalar::kTrue;
  if (among(word, kFalse)) return PlainScalar::kFalse;
  if (is_json_number(word)) return PlainScalar::kNumber;
  // A sign, a point or a digit first, and then only what numbers have: +1, .5, 1., 0x1F, 1_000, .inf
  std::string_view rest = word;
  const bool sign = rest.starts_with('+') || rest.starts_with('-');
  if (sign) rest.remove_prefix(1);
  constexpr std::array<std::string_view, 6> kNoNumbers = {".inf", ".Inf", ".INF",
                                                          ".nan", ".NaN", ".NAN"};
  if (among(rest, kNoNumbers)) return PlainScalar::kDoubtful;
  const bool point = rest.starts_with('.');
  if (point) rest.remove_prefix(1);
  if (rest.empty() || !is_digit(rest.front())) return PlainScalar::kText;
  const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("0o");
  const bool like_a_number = std::all_of(rest.begin(), rest.end(), [&](char c) {
    return is_digit(c) || c == '_' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-' ||
           (hexadecimal && std::isxdigit(static_cast<unsigned char>(c)) != 0) || c == 'x' ||
           c == 'o';
  });
  // Dates and versions (2026-11-15, 1.2.3) are texts to everybody.
  const auto count = [&](char c) { return std::count(rest.begin(), rest.end(), c); };
  if (!like_a_number || count('.') + (point ? 1 : 0) > 1 || count('-') > 1)
    return PlainScalar::kText;
  return PlainScalar::kDoubtful;
}

bool is_safe_without_quotes(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == '/';
  });
  if (!plain) return false;
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 9> kTruth = {"y",     "n",  "yes", "no",  "true",
                                                      "false", "on", "off", "null"};
  return !among(std::string_view(lower), kTruth);
}

}  // namespace tactus::yaml
