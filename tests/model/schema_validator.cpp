#include "tests/model/schema_validator.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <regex>

#include "tactus/base/decimal.hpp"

namespace tactus {
namespace {

using json::Kind;
using json::Member;
using json::Value;

/// -1, 0 or 1 as the number is below, at or above a whole number, exactly.
int compare(std::string_view number, std::string_view whole) {
  const std::int64_t bound = parse_scaled(whole, 0, Rounding::kDown)->value;
  const auto below = parse_scaled(number, 0, Rounding::kDown);
  const auto above = parse_scaled(number, 0, Rounding::kUp);
  if (!below || !above) return number.starts_with('-') ? -1 : 1;  // beyond 64 bits
  if (above->value < bound || (above->value == bound && !above->exact)) return -1;
  return below->value == bound && below->exact ? 0 : below->value < bound ? -1 : 1;
}

bool is_whole(std::string_view number) {
  const auto value = parse_scaled(number, 0, Rounding::kDown);
  return !value || value->exact;
}

bool has_type(const Value& value, std::string_view type) {
  if (type == "integer") return value.is(Kind::kNumber) && is_whole(value.text());
  static const std::map<std::string_view, Kind> kKinds = {
      {"object", Kind::kObject}, {"array", Kind::kArray},  {"string", Kind::kString},
      {"number", Kind::kNumber}, {"boolean", Kind::kBool}, {"null", Kind::kNull}};
  return value.is(kKinds.at(type));
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t size(const Value& number) {
  return static_cast<std::size_t>(parse_scaled(number.text(), 0, Rounding::kDown)->value);
}

/// Equality of numbers and strings, all that `const`, `enum` and `uniqueItems` meet here.
bool same(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  return a.is(Kind::kNumber) ? compare(a.text(), b.text()) == 0 : a.text() == b.text();
}

/// One keyword: its argument, the schema it stands in, the value. True when it holds.
using Keyword = std::function<bool(const Value& argument, const Value& schema, const Value& value)>;

bool all_items(const Value& value, const std::function<bool(const Value&)>& holds) {
  return !value.is(Kind::kArray) || std::all_of(value.items().begin(), value.items().end(), holds);
}
bool all_members(const Value& value, const std::function<bool(const Member&)>& holds) {
  return !value.is(Kind::kObject) ||
         std::all_of(value.members().begin(), value.members().end(), holds);
}

const std::map<std::string_view, Keyword>& keywords() {
  const auto always = [](const Value&, const Value&, const Value&) { return true; };
  const auto number = [](auto holds) {
    return [holds](const Value& bound, const Value&, const Value& value) {
      return !value.is(Kind::kNumber) || holds(compare(value.text(), bound.text()));
    };
  };
  const auto length = [](auto holds) {
    return [holds](const Value& bound, const Value&, const Value& value) {
      return !value.is(Kind::kString) || holds(code_points(value.text()), size(bound));
    };
  };
  const auto items = [](auto holds) {
    return [holds](const Value& bound, const Value&, const Value& value) {
      return !value.is(Kind::kArray) || holds(value.items().size(), size(bound));
    };
  };
  static const std::map<std::string_view, Keyword> kTable = {
      {"$id", always},
      {"$schema", always},
      {"$id", always},
      {"title", always},
      {"description", always},
      {"type",
       [](const Value& type, const Value&, const Value& value) {
         if (!type.is(Kind::kArray)) return has_type(value, type.text());
         return std::any_of(type.items().begin(), type.items().end(),
                            [&](const Value& one) { return has_type(value, one.text()); });
       }},
      {"anyOf",
       [](const Value& ways, const Value&, const Value& value) {
         return std::any_of(ways.items().begin(), ways.items().end(),
                            [&](const Value& way) { return !violation(way, value); });
       }},
      {"const",
       [](const Value& only, const Value&, const Value& value) { return same(value, only); }},
      {"enum",
       [](const Value& list, const Value&, const Value& value) {
         return std::any_of(list.items().begin(), list.items().end(),
                            [&](const Value& word) { return same(value, word); });
       }},
      {"minimum", number([](int order) { return order >= 0; })},
      {"exclusiveMinimum", number([](int order) { return order > 0; })},
      {"maximum", number([](int order) { return order <= 0; })},
      {"minLength", length(std::greater_equal<>())},
      {"maxLength", length(std::less_equal<>())},
      {"minItems", items(std::greater_equal<>())},
      {"maxItems", items(std::less_equal<>())},
      {"uniqueItems",
       [](const Value&, const Value&, const Value& value) {
         return all_items(value, [&](const Value& item) {
           return std::count_if(value.items().begin(), value.items().end(),
                                [&](const Value& other) {
                                  return item.is(Kind::kString) && same(item, other);
                                }) <= 1;
         });
       }},
      {"items",
       [](const Value& each, const Value&, const Value& value) {
         return all_items(value, [&](const Value& item) { return !violation(each, item); });
       }},
      {"required",
       [](const Value& names, const Value&, const Value& value) {
         return !value.is(Kind::kObject) || all_items(names, [&](const Value& name) {
           return value.find(name.text()) != nullptr;
         });
       }},
      {"properties",
       [](const Value& known, const Value&, const Value& value) {
         return all_members(value, [&](const Member& member) {
           const Value* schema = known.find(member.key);
           return schema == nullptr || !violation(*schema, member.value);
         });
       }},
      {"propertyNames",
       [](const Value& names, const Value&, const Value& value) {
         const std::regex pattern(std::string(names.find("pattern")->text()));
         return all_members(value, [&](const Member& member) {
           return std::regex_search(member.key.begin(), member.key.end(), pattern);
         });
       }},
      {"additionalProperties",
       [](const Value& allowed, const Value& schema, const Value& value) {
         const Value* known = schema.find("properties");
         return all_members(value, [&](const Member& member) {
           if (known != nullptr && known->find(member.key) != nullptr) return true;
           return allowed.is(Kind::kObject) ? !violation(allowed, member.value) : allowed.boolean();
         });
       }},
  };
  return kTable;
}

}  // namespace

std::optional<std::string> violation(const Value& schema, const Value& value) {
  for (const Member& keyword : schema.members()) {
    const auto found = keywords().find(keyword.key);
    if (found == keywords().end()) return "unknown keyword " + std::string(keyword.key);
    if (!found->second(keyword.value, schema, value)) return std::string(keyword.key);
  }
  return std::nullopt;
}

}  // namespace tactus
