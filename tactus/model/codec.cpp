#include "tactus/model/codec.hpp"

#include <algorithm>

#include "tactus/base/printable.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::codec {

using json::Kind;
using json::Value;

namespace {

bool is_negative(const Value& number) { return number.text().starts_with('-'); }

constexpr std::int64_t kLeastFactor = Factor{}.billionths;
constexpr std::string_view kFactor = "a factor >= 1", kShare = "a share >= 0";

/// What is expected of a name; empty if the text is a valid name.
std::string expected_name(std::string_view text) {
  if (text.empty()) return "a name that is not empty";
  if (text.size() > kMaxNameBytes) {
    return fmt::format("a name of at most {} bytes", kMaxNameBytes);
  }
  return has_control_characters(text) ? "a name without control characters" : std::string();
}

std::string expected_word(std::span<const std::string_view> words) {
  std::string expected = "one of";
  for (std::string_view word : words) expected += fmt::format(" {}", word);
  return expected;
}

}  // namespace

std::string shown(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return value.boolean() ? "true" : "false";
    case Kind::kNumber:
      return std::string(value.text().substr(0, 60));
    case Kind::kString:
      return "the text " + quote(value.text());
    case Kind::kArray:
      return "an array";
    case Kind::kObject:
      return "an object";
  }
  return {};
}

bool mismatch(const Value& value, std::string_view key, ReadContext& context,
              std::string_view expected) {
  context.error(value, fmt::format("`{}` must be {}, got {}", key, expected, shown(value)));
  return false;
}

bool check_expected(std::string_view expected, std::string_view key, ReadContext& context,
                    Position at, std::string_view got) {
  if (expected.empty()) return true;
  context.error(at, fmt::format("`{}` must be {}, got {}", key, expected, got));
  return false;
}

std::string expected_integer(std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value > most) return fmt::format("an integer <= {}", most);
  return value < least ? fmt::format("an integer >= {}", least) : std::string();
}

std::string_view expected_time(Time time, Sign sign) {
  const bool positive = sign == Sign::kPositive;
  if (time > Time() || (!positive && time == Time())) return {};
  return positive ? "a time > 0" : "a time >= 0";
}

bool read_integer(const Value& value, std::string_view key, ReadContext& context,
                  std::int64_t least, std::int64_t most, std::int64_t& out) {
  std::optional<ScaledDecimal> number;
  if (value.is(Kind::kNumber)) number = parse_scaled(value.text(), 0, Rounding::kDown);
  if (number && number->exact) {
    const std::string expected = expected_integer(number->value, least, most);
    if (!expected.empty()) return mismatch(value, key, context, expected);
    out = number->value;
    return true;
  }
  const bool beyond = value.is(Kind::kNumber) && !number && !is_negative(value);
  return mismatch(value, key, context,
                  beyond               ? fmt::format("an integer <= {}", most)
                  : least != INT64_MIN ? fmt::format("an integer >= {}", least)
                                       : std::string("an integer"));
}

bool read_time(const Value& value, std::string_view key, ReadContext& context, Rounding rounding,
               Sign sign, Time& out) {
  const std::string_view expected = expected_time(Time::from_ns(-1), sign);
  if (!value.is(Kind::kNumber)) return mismatch(value, key, context, expected);
  const auto number = parse_scaled(value.text(), decimal_places(context.time_unit), rounding);
  // Before it is rounded to 0.
  if (is_negative(value) && !(number && number->exact && number->value == 0)) {
    return mismatch(value, key, context, expected);
  }
  if (!number) return mismatch(value, key, context, "a time below 2^63 ns (292 years)");
  if (!expected_time(Time::from_ns(number->value), sign).empty()) {
    return mismatch(value, key, context, number->exact ? expected : "at least 1 ns");
  }
  out = Time::from_ns(number->value);
  if (!number->exact) {
    context.warn(value, fmt::format("`{}` is finer than 1 ns; rounded {} to {}", key,
                                    rounding == Rounding::kUp ? "up" : "down",
                                    format_time(out, context.time_unit)));
  }
  return true;
}

bool FactorValue::read(const Value& value, std::string_view key, ReadContext& context,
                       Factor& out) {
  if (!value.is(Kind::kNumber)) return mismatch(value, key, context, kFactor);
  // A value a little below 1 must not pass by being rounded up to it.
  const auto below = parse_scaled(value.text(), Factor::kScale, Rounding::kDown);
  if (is_negative(value) || (below && below->value < kLeastFactor)) {
    return mismatch(value, key, context, kFactor);
  }
  const auto number = parse_scaled(value.text(), Factor::kScale, Rounding::kUp);
  if (!number) return mismatch(value, key, context, "a factor below 9.2 * 10^9");
  out.billionths = number->value;
  if (!number->exact) {
    context.warn(value, fmt::format("`{}` has more than nine decimals; rounded up to {}", key,
                                    format_scaled(out.billionths, Factor::kScale)));
  }
  return true;
}

bool FactorValue::check(Factor factor, std::string_view key, ReadContext& context, Position at) {
  if (factor.billionths >= kLeastFactor) return true;
  return check_expected(kFactor, key, context, at,
                        format_scaled(factor.billionths, Factor::kScale));
}

bool MarginValue::read(const Value& value, std::string_view key, ReadContext& context,
                       Margin& out) {
  std::optional<ScaledDecimal> number;
  if (value.is(Kind::kNumber)) number = parse_scaled(value.text(), Margin::kScale, Rounding::kUp);
  if (!number || is_negative(value)) return mismatch(value, key, context, kShare);
  out.billionths = number->value;
  return true;
}

bool MarginValue::check(Margin margin, std::string_view key, ReadContext& context, Position at) {
  if (margin.billionths >= 0) return true;
  return check_expected(kShare, key, context, at, format_scaled(margin.billionths, Margin::kScale));
}

bool Flag::read(const Value& value, std::string_view key, ReadContext& context, bool& out) {
  if (!value.is(Kind::kBool)) return mismatch(value, key, context, "true or false");
  out = value.boolean();
  return true;
}

bool Text::read(const Value& value, std::string_view key, ReadContext& context, std::string& out) {
  if (!value.is(Kind::kString)) return mismatch(value, key, context, "text");
  out = value.text();
  return true;
}

/// A file cannot hold it: JSON is UTF-8.
bool Text::check(const std::string& text, std::string_view key, ReadContext& context, Position at) {
  if (find_invalid_utf8(text) == std::string_view::npos) return true;
  return check_expected("text in UTF-8", key, context, at, "the text " + quote(text));
}

bool Name::read(const Value& value, std::string_view key, ReadContext& context, std::string& out) {
  if (!value.is(Kind::kString)) return mismatch(value, key, context, "a name");
  const std::string expected = expected_name(value.text());
  if (!expected.empty()) return mismatch(value, key, context, expected);
  out = value.text();
  return true;
}

bool Name::check(const std::string& text, std::string_view key, ReadContext& context, Position at) {
  const std::string expected = expected_name(text);
  if (expected.empty()) return Text::check(text, key, context, at);
  return check_expected(expected, key, context, at, "the text " + quote(text));
}

bool read_word(const Value& value, std::string_view key, ReadContext& context,
               std::span<const std::string_view> words, std::size_t& out) {
  if (value.is(Kind::kString)) {
    const auto found = std::find(words.begin(), words.end(), value.text());
    if (found != words.end()) {
      out = static_cast<std::size_t>(found - words.begin());
      return true;
    }
  }
  return mismatch(value, key, context, expected_word(words));
}

bool check_word(std::size_t index, std::string_view key, ReadContext& context,
                std::span<const std::string_view> words, Position at) {
  if (index < words.size()) return true;
  return check_expected(expected_word(words), key, context, at,
                        fmt::format("number {} of them", index));
}

NameIndex index_names(const Value& array, std::string_view noun, ReadContext& context) {
  return index_names(array.items().size(), noun, context,
                     [&](std::size_t i) -> std::optional<NamePlace> {
                       const Value* name = array.items()[i].find("name");
                       if (name == nullptr || !name->is(Kind::kString)) return std::nullopt;
                       return NamePlace{name->text(), *name};
                     });
}

bool check_index(std::size_t index, std::size_t count, std::string_view noun, ReadContext& context,
                 Position at) {
  if (index < count) return true;
  context.error(at, fmt::format("there is no {} with index {}; there are {}", noun, index, count));
  return false;
}

bool read_reference(const Value& value, ReadContext& context, const NameIndex& names,
                    std::string_view noun, std::uint32_t& out) {
  if (!value.is(Kind::kString)) {
    context.error(value, fmt::format("expected the name of {} {}, got {}",
                                     noun == "element" ? "an" : "a", noun, shown(value)));
    return false;
  }
  if (const auto found = names.find(value.text())) {
    out = *found;
    return true;
  }
  // A hint is not worth comparing with a million names, or if the message is not shown.
  constexpr std::size_t kMostCandidates = 10'000;
  std::vector<std::string_view> candidates;
  if (context.tells_errors() && names.entries().size() <= kMostCandidates) {
    for (const NameIndex::Entry& entry : names.entries()) candidates.push_back(entry.name);
  }
  context.error(value, fmt::format("there is no {} {}{}", noun, quote(value.text()),
                                   suggestion(value.text(), candidates)));
  return false;
}

}  // namespace tactus::codec
