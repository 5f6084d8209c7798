#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tactus/base/json.hpp"
#include "tactus/base/position.hpp"

/// Where a rule finds what it judges. The rules of check.cpp hold for a system from a file and for
/// one that a program has built; this type hides the difference.
namespace tactus {

/// A place to point at: in the text that is being read, or where a thing once came from.
struct Place {
  Place(const json::Value& value) : offset(value.offset()) {}
  Place(const json::Member& member) : offset(member.key_offset) {}
  Place(Position position) : at(position) {}

  std::optional<std::uint32_t> offset;  ///< into the text
  Position at;                          ///< else
};

/// An object that is being checked: its JSON, or nothing but its position.
class Origin {
 public:
  /// `spoilt` has the keys whose values are wrong by themselves; these have been reported.
  explicit Origin(const json::Value& json, std::span<const std::string_view> spoilt = {})
      : json_(&json), spoilt_(spoilt) {}
  explicit Origin(Position at, std::span<const std::string_view> spoilt = {})
      : spoilt_(spoilt), at_(at) {}

  /// Null for a system in memory.
  const json::Value* json() const { return json_; }

  Place here() const { return json_ != nullptr ? Place(*json_) : Place(at_); }
  /// The place of the value of a key; that of the object if the value is not found.
  Place at(std::string_view key) const {
    const json::Value* value = json_ != nullptr ? json_->find(key) : nullptr;
    return value != nullptr ? Place(*value) : here();
  }
  /// The i-th object of the array under a key; in memory it is at `position`.
  Origin item(std::string_view key, std::size_t i, Position position) const {
    return json_ != nullptr ? Origin(json_->find(key)->items()[i]) : Origin(position);
  }

  /// The name it goes by in complaints; in memory it is `own`.
  std::string_view name(std::string_view own) const {
    if (json_ == nullptr) return own;
    const json::Value* name = json_->find("name");
    return name != nullptr && name->is(json::Kind::kString) ? name->text() : std::string_view();
  }

  /// Is there a value under this key, right or wrong? In memory `set` says so.
  bool written(std::string_view key, bool set) const {
    return json_ != nullptr ? json_->find(key) != nullptr : set;
  }
  /// Is there a value that can be checked together with others? (By itself it has been checked.)
  bool usable(std::string_view key, bool set) const { return written(key, set) && !spoilt(key); }
  /// Written, but wrong by itself.
  bool spoilt(std::string_view key) const {
    return std::find(spoilt_.begin(), spoilt_.end(), key) != spoilt_.end();
  }

 private:
  const json::Value* json_ = nullptr;
  std::span<const std::string_view> spoilt_;
  Position at_;
};

}  // namespace tactus
