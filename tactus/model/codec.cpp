#include "tactus/model/codec.hpp"

#include <algorithm>

#include "tactus/model/printable.hpp"

namespace tactus::codec {

using json::Kind;
using json::Value;

namespace {

bool is_negative(const Value& number) { return number.text().starts_with('-'); }

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

bool read_integer(const Value& value, std::string_view key, ReadContext& context,
                  std::int64_t least, std::int64_t most, std::int64_t& out) {
  std::optional<ScaledDecimal> number;
  if (value.is(Kind::kNumber)) number = parse_scaled(value.text(), 0, Rounding::kDown);
  if (number && number->exact && number->value >= least && number->value <= most) {
    out = number->value;
    return true;
  }
  std::string expected = "an integer";
  const bool too_large = value.is(Kind::kNumber) &&
                         (number ? number->exact && number->value > most : !is_negative(value));
  if (too_large) {
    expected += fmt::format(" <= {}", most);
  } else if (least != INT64_MIN) {
    expected += fmt::format(" >= {}", least);
  }
  return mismatch(value, key, context, expected);
}

bool read_time(const Value& value, std::string_view key, ReadContext& context, Rounding rounding,
               Sign sign, Time& out) {
  const char* expected = sign == Sign::kPositive ? "a time > 0" : "a time >= 0";
  if (!value.is(Kind::kNumber)) return mismatch(value, key, context, expected);
  const auto number = parse_scaled(value.text(), decimal_places(context.time_unit), rounding);
  if (is_negative(value) && !(number && number->exact && number->value == 0)) {
    return mismatch(value, key, context, expected);
  }
  if (!number) return mismatch(value, key, context, "a time below 2^63 ns (292 years)");
  if (sign == Sign::kPositive && number->value == 0) {
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
  if (!value.is(Kind::kNumber)) return mismatch(value, key, context, "a factor >= 1");
  // A value a little below 1 must not pass by being rounded up to it.
  const auto below = parse_scaled(value.text(), Factor::kScale, Rounding::kDown);
  if (is_negative(value) || (below && below->value < Factor{}.billionths)) {
    return mismatch(value, key, context, "a factor >= 1");
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

bool MarginValue::read(const Value& value, std::string_view key, ReadContext& context,
                       Margin& out) {
  std::optional<ScaledDecimal> number;
  if (value.is(Kind::kNumber)) number = parse_scaled(value.text(), Margin::kScale, Rounding::kUp);
  if (!number || is_negative(value)) return mismatch(value, key, context, "a share >= 0");
  out.billionths = number->value;
  return true;
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

bool Name::read(const Value& value, std::string_view key, ReadContext& context, std::string& out) {
  if (!value.is(Kind::kString)) return mismatch(value, key, context, "a name");
  const std::string_view text = value.text();
  if (text.empty()) return mismatch(value, key, context, "a name that is not empty");
  if (text.size() > kMaxNameBytes) {
    return mismatch(value, key, context, fmt::format("a name of at most {} bytes", kMaxNameBytes));
  }
  if (has_control_characters(text)) {
    return mismatch(value, key, context, "a name without control characters");
  }
  out = text;
  return true;
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
  std::string expected = "one of";
  for (std::string_view word : words) expected += fmt::format(" {}", word);
  return mismatch(value, key, context, expected);
}

NameIndex index_names(const Value& array, std::string_view noun, ReadContext& context) {
  NameIndex index(array.items().size());
  for (std::size_t i = 0; i < array.items().size(); ++i) {
    const Value* name = array.items()[i].find("name");
    if (name == nullptr || !name->is(Kind::kString)) continue;  // told already
    if (!index.insert(name->text(), static_cast<std::uint32_t>(i))) {
      context.error(*name, fmt::format("there are two {}s named {}", noun, quote(name->text())));
    }
  }
  return index;
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
  // Comparing with a million names, or for a message that nobody sees, is not worth a hint.
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
