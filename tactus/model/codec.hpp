#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "tactus/model/field.hpp"

/// One codec for each kind of value in the system file: read (and complain if it does not fit),
/// check in memory by the same rule, write, and describe in JSON Schema.
namespace tactus::codec {

/// The value as a complaint shows it.
std::string shown(const json::Value& value);

/// Complains that `key` holds something else than `expected`. Always false, to be returned.
bool mismatch(const json::Value& value, std::string_view key, ReadContext& context,
              std::string_view expected);
/// The same for a value in memory; true if `expected` is empty, because then all is well.
bool check_expected(std::string_view expected, std::string_view key, ReadContext& context,
                    Position at, std::string_view got);

/// A whole number within [least, most]; 3.0 is whole.
bool read_integer(const json::Value& value, std::string_view key, ReadContext& context,
                  std::int64_t least, std::int64_t most, std::int64_t& out);
/// What is expected of a number outside [least, most]; empty inside.
std::string expected_integer(std::int64_t value, std::int64_t least, std::int64_t most);

enum class Sign { kNonNegative, kPositive };

bool read_time(const json::Value& value, std::string_view key, ReadContext& context,
               Rounding rounding, Sign sign, Time& out);
/// What is expected of a time that has the wrong sign; else empty.
std::string_view expected_time(Time time, Sign sign);

/// A time; digits below 1 ns are rounded to the side that is safe for this attribute.
template <Rounding kRounding, Sign kSign = Sign::kNonNegative>
struct TimeValue {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   Time& out) {
    return read_time(value, key, context, kRounding, kSign, out);
  }
  static bool check(Time time, std::string_view key, ReadContext& context, Position at) {
    const std::string_view expected = expected_time(time, kSign);
    if (expected.empty()) return true;  // spares the text
    return check_expected(expected, key, context, at, format_time(time, context.time_unit));
  }
  static void write(json::Writer& out, const System& system, Time time) {
    out.number(format_time(time, system.time_unit));
  }
  static void describe(json::Writer& out) {
    out.key("type").string("number");
    out.key(kSign == Sign::kPositive ? "exclusiveMinimum" : "minimum").integer(0);
  }
};
using UpperTime = TimeValue<Rounding::kUp>;
using LowerTime = TimeValue<Rounding::kDown>;
using PositiveUpperTime = TimeValue<Rounding::kUp, Sign::kPositive>;
using PositiveLowerTime = TimeValue<Rounding::kDown, Sign::kPositive>;

/// Counts of things: far above any hardware, far below what could overflow a product with a time
/// in 128 bits.
inline constexpr std::int64_t kMaxCount = 2'147'483'647;

template <std::int64_t kLeast, std::int64_t kMost = kMaxCount, bool kKeep = false>
struct Integer {
  static constexpr bool kAlwaysWritten = kKeep;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::int64_t& out) {
    return read_integer(value, key, context, kLeast, kMost, out);
  }
  static bool check(std::int64_t value, std::string_view key, ReadContext& context, Position at) {
    return check_expected(expected_integer(value, kLeast, kMost), key, context, at,
                          std::to_string(value));
  }
  static void write(json::Writer& out, const System&, std::int64_t value) { out.integer(value); }
  static void describe(json::Writer& out) {
    out.key("type").string("integer");
    if (kLeast != INT64_MIN) out.key("minimum").integer(kLeast);
    if (kMost != INT64_MAX) out.key("maximum").integer(kMost);
  }
};
using Count = Integer<1>;
using Amount = Integer<0>;
using RequiredCount = Integer<1, kMaxCount, true>;
using AnyInteger = Integer<INT64_MIN, INT64_MAX>;

/// A factor >= 1.
struct FactorValue {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   Factor& out);
  static bool check(Factor factor, std::string_view key, ReadContext& context, Position at);
  static void write(json::Writer& out, const System&, Factor factor) {
    out.number(format_scaled(factor.billionths, Factor::kScale));
  }
  static void describe(json::Writer& out) {
    out.key("type").string("number");
    out.key("minimum").integer(1);
  }
};

/// A share >= 0 of something.
struct MarginValue {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   Margin& out);
  static bool check(Margin margin, std::string_view key, ReadContext& context, Position at);
  static void write(json::Writer& out, const System&, Margin margin) {
    out.number(format_scaled(margin.billionths, Margin::kScale));
  }
  static void describe(json::Writer& out) {
    out.key("type").string("number");
    out.key("minimum").integer(0);
  }
};

struct Flag {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context, bool& out);
  static void write(json::Writer& out, const System&, bool value) { out.boolean(value); }
  static void describe(json::Writer& out) { out.key("type").string("boolean"); }
};

/// Free text.
struct Text {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::string& out);
  static bool check(const std::string& text, std::string_view key, ReadContext& context,
                    Position at);
  static void write(json::Writer& out, const System&, const std::string& text) { out.string(text); }
  static void describe(json::Writer& out) { out.key("type").string("string"); }
};

/// The longest name, in bytes.
inline constexpr std::size_t kMaxNameBytes = 1000;

/// Text that identifies something: not empty, without control characters, of limited length.
struct Name {
  static constexpr bool kAlwaysWritten = true;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::string& out);
  static bool check(const std::string& text, std::string_view key, ReadContext& context,
                    Position at);
  static void write(json::Writer& out, const System&, const std::string& text) { out.string(text); }
  static void describe(json::Writer& out) {
    out.key("type").string("string");
    out.key("minLength").integer(1);
    out.key("maxLength").integer(static_cast<std::int64_t>(kMaxNameBytes));
  }
};

/// The words of an enumeration in the order of its values; specialised beside the tables.
template <typename E>
std::span<const std::string_view> words_of();

bool read_word(const json::Value& value, std::string_view key, ReadContext& context,
               std::span<const std::string_view> words, std::size_t& out);
bool check_word(std::size_t index, std::string_view key, ReadContext& context,
                std::span<const std::string_view> words, Position at);

template <typename E, bool kKeep = true>
struct Word {
  static constexpr bool kAlwaysWritten = kKeep;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context, E& out) {
    std::size_t index = 0;
    if (!read_word(value, key, context, words_of<E>(), index)) return false;
    out = static_cast<E>(index);
    return true;
  }
  static bool check(E value, std::string_view key, ReadContext& context, Position at) {
    return check_word(static_cast<std::size_t>(value), key, context, words_of<E>(), at);
  }
  static void write(json::Writer& out, const System&, E value) {
    out.string(words_of<E>()[static_cast<std::size_t>(value)]);
  }
  static void describe(json::Writer& out) {
    out.key("enum").begin_array();
    for (std::string_view word : words_of<E>()) out.string(word);
    out.end_array();
  }
};

/// An object with a table of its own, named by its key in complaints.
template <typename T>
struct Object {
  static constexpr bool kAlwaysWritten = true;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context, T& out) {
    ReadContext::Scope scope(context, key);
    return read_object(value, context, out);
  }
  static bool check(T& value, std::string_view key, ReadContext& context, Position at) {
    ReadContext::Scope scope(context, key);
    check_object(context, value, at);
    return true;
  }
  static void write(json::Writer& out, const System& system, const T& value) {
    write_object(out, system, value);
  }
  static void describe(json::Writer& out) { describe_object<T>(out); }
};

/// A fixed string usable as a template argument.
template <std::size_t N>
struct Noun {
  constexpr Noun(const char (&text)[N]) { std::copy_n(text, N, value); }
  char value[N];
};

/// A name and where it stands.
struct NamePlace {
  std::string_view name;
  Place place;
};

/// Maps the names of `count` things to their indices; complains about repeated ones. `name_at(i)` is
/// a `NamePlace`, or nothing if there is no name, which has been reported already.
template <typename NameAt>
NameIndex index_names(std::size_t count, std::string_view noun, ReadContext& context,
                      NameAt name_at) {
  NameIndex index(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<NamePlace> found = name_at(i);
    if (!found || index.insert(found->name, static_cast<std::uint32_t>(i))) continue;
    context.error(found->place,
                  fmt::format("there are two {}s named {}", noun, quote(found->name)));
  }
  return index;
}
NameIndex index_names(const json::Value& array, std::string_view noun, ReadContext& context);

/// An array of objects; `kNoun` is the singular ("task"). With `kNames`, the objects are known by
/// name to everything read after them.
template <typename T, Noun kNoun, NameIndex ReadContext::*kNames = nullptr>
struct Objects {
  static constexpr bool kAlwaysWritten = kNames != nullptr;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::vector<T>& out) {
    if (!value.is(json::Kind::kArray)) return mismatch(value, key, context, "an array");
    out.reserve(value.items().size());
    for (std::size_t i = 0; i < value.items().size(); ++i) {
      ReadContext::Scope scope(context, kNoun.value, i, value.items()[i]);
      read_object(value.items()[i], context, out.emplace_back());
    }
    if constexpr (kNames != nullptr) context.*kNames = index_names(value, kNoun.value, context);
    return true;
  }
  static bool check(std::vector<T>& items, std::string_view, ReadContext& context, Position at) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::string_view name;
      if constexpr (requires { items[i].name; }) name = items[i].name;
      ReadContext::Scope scope(context, kNoun.value, i, name);
      check_object(context, items[i], at);
    }
    if constexpr (kNames != nullptr) {
      context.*kNames = index_names(items.size(), kNoun.value, context, [&](std::size_t i) {
        return NamePlace{items[i].name, items[i].at};
      });
    }
    return true;
  }
  static void write(json::Writer& out, const System& system, const std::vector<T>& items) {
    out.begin_array();
    for (const T& item : items) write_object(out, system, item);
    out.end_array();
  }
  static void describe(json::Writer& out) {
    out.key("type").string("array");
    out.key("items").begin_object();
    describe_object<T>(out);
    out.end_object();
  }
};

/// An index into something that has `count` items; in a file there are names instead.
bool check_index(std::size_t index, std::size_t count, std::string_view noun, ReadContext& context,
                 Position at);

/// `value` must be a string that `names` knows; `noun` says what it should be.
bool read_reference(const json::Value& value, ReadContext& context, const NameIndex& names,
                    std::string_view noun, std::uint32_t& out);

}  // namespace tactus::codec
