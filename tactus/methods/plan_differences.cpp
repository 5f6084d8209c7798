#include "tactus/methods/plan_differences.hpp"

#include <fmt/core.h>

#include <string_view>
#include <unordered_map>

#include "tactus/base/decimal.hpp"
#include "tactus/base/diagnostic.hpp"

namespace tactus {
namespace {

using json::Kind;

constexpr std::size_t kMostTold = 20;

class Comparison {
 public:
  explicit Comparison(Stated extent) : extent_(extent) {}

  void compare(const json::Value& stated, const json::Value& written, const std::string& path) {
    if (told_.size() >= kMostTold) return;
    if (stated.is(Kind::kNull) && written.is(Kind::kArray)) return;
    if (stated.kind() != written.kind()) return tell(path, stated, written);
    switch (stated.kind()) {
      case Kind::kObject:
        return compare_members(stated, written, path);
      case Kind::kArray:
        return compare_items(stated, written, path);
      case Kind::kNumber:
        if (!same_number(stated.text(), written.text())) tell(path, stated, written);
        return;
      case Kind::kString:
        if (stated.text() != written.text()) tell(path, stated, written);
        return;
      case Kind::kBool:
        if (stated.boolean() != written.boolean()) tell(path, stated, written);
        return;
      case Kind::kNull:
        return;
    }
  }

  std::vector<std::string> take() { return std::move(told_); }

 private:
  static bool same_number(std::string_view a, std::string_view b) {
    if (a == b) return true;
    const auto x = parse_scaled(a, Factor::kScale, Rounding::kDown);
    const auto y = parse_scaled(b, Factor::kScale, Rounding::kDown);
    return x && y && x->exact && y->exact && x->value == y->value;
  }

  void compare_members(const json::Value& stated, const json::Value& written,
                       const std::string& path) {
    std::unordered_map<std::string_view, const json::Value*> expected;
    for (const json::Member& member : written.members()) expected[member.key] = &member.value;
    const auto inside = [&](std::string_view key) {
      return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
    };
    for (const json::Member& member : stated.members()) {
      // For which networks a session of Python made it: only that can compare it.
      if (path.empty() && member.key == "work") continue;
      const auto found = expected.find(member.key);
      if (found == expected.end()) {
        tell(fmt::format("{} does not belong in this plan, or is there twice",
                         quote(inside(member.key))));
        continue;
      }
      compare(member.value, *found->second, inside(member.key));
      expected.erase(found);
    }
    if (path.empty() && extent_ == Stated::kInPart) return;
    for (const json::Member& member : written.members()) {
      if (expected.contains(member.key))
        tell(fmt::format("{} is missing", quote(inside(member.key))));
    }
  }

  void compare_items(const json::Value& stated, const json::Value& written,
                     const std::string& path) {
    if (stated.items().size() != written.items().size()) {
      return tell(fmt::format("{} has {} entries, the rest of the plan implies {}", quote(path),
                              stated.items().size(), written.items().size()));
    }
    for (std::size_t i = 0; i < stated.items().size(); ++i) {
      compare(stated.items()[i], written.items()[i], fmt::format("{}[{}]", path, i));
    }
  }

  static std::string shown(const json::Value& value) {
    switch (value.kind()) {
      case Kind::kNumber:
        return std::string(value.text());
      case Kind::kString:
        return quote(value.text());
      case Kind::kBool:
        return value.boolean() ? "true" : "false";
      case Kind::kNull:
        return "null";
      default:
        return value.is(Kind::kArray) ? "an array" : "an object";
    }
  }

  void tell(const std::string& path, const json::Value& stated, const json::Value& written) {
    tell(fmt::format("{} is {}, the rest of the plan implies {}", quote(path), shown(stated),
                     shown(written)));
  }
  void tell(std::string difference) {
    if (told_.size() < kMostTold) told_.push_back(std::move(difference));
  }

  Stated extent_;
  std::vector<std::string> told_;
};

}  // namespace

std::vector<std::string> plan_differences(const json::Value& stated, const json::Value& written,
                                          Stated extent) {
  Comparison comparison(extent);
  comparison.compare(stated, written, {});
  return comparison.take();
}

}  // namespace tactus
