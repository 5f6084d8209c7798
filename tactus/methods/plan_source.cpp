#include "tactus/methods/plan_source.hpp"

#include <fmt/core.h>

#include "tactus/base/decimal.hpp"

namespace tactus::plan_source {
namespace {

std::int64_t scaled(const json::Value& value, std::string_view key, int scale,
                    std::string_view expected) {
  if (value.is(json::Kind::kNumber)) {
    const auto parsed = parse_scaled(value.text(), scale, Rounding::kDown);
    if (parsed && parsed->exact) return parsed->value;
  }
  throw Malformed(value, fmt::format("`{}` must be {}", key, expected));
}

}  // namespace

const json::Value& member(const json::Value& object, std::string_view key) {
  if (!object.is(json::Kind::kObject)) {
    throw Malformed(object, fmt::format("expected an object that has `{}`", key));
  }
  const json::Value* value = object.find(key);
  if (value == nullptr) throw Malformed(object, fmt::format("`{}` is missing", key));
  return *value;
}

const json::Value& table(const json::Value& object, std::string_view key) {
  const json::Value& value = member(object, key);
  if (!value.is(json::Kind::kObject)) {
    throw Malformed(value, fmt::format("`{}` must be an object", key));
  }
  return value;
}

std::span<const json::Value> list(const json::Value& object, std::string_view key) {
  const json::Value& value = member(object, key);
  if (!value.is(json::Kind::kArray)) {
    throw Malformed(value, fmt::format("`{}` must be an array", key));
  }
  return value.items();
}

std::string_view text(const json::Value& value, std::string_view key) {
  if (!value.is(json::Kind::kString)) {
    throw Malformed(value, fmt::format("`{}` must be a string", key));
  }
  return value.text();
}

std::int64_t integer(const json::Value& value, std::string_view key) {
  return scaled(value, key, 0, "a whole number");
}

std::int64_t count(const json::Value& value, std::string_view key) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  const std::int64_t number = integer(value, key);
  if (number < -kMost || number > kMost) {
    throw Malformed(value, fmt::format("`{}` is too large", key));
  }
  return number;
}

Time time(const json::Value& value, std::string_view key, TimeUnit unit) {
  return Time::from_ns(scaled(value, key, decimal_places(unit), "a time in whole nanoseconds"));
}

}  // namespace tactus::plan_source
