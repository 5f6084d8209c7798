#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tactus/base/json.hpp"
#include "tactus/model/system.hpp"

/// The content of a plan file, read value by value: what the readers of all families share.
namespace tactus::plan_source {

/// Thrown where a file does not have the form of a plan. It never leaves the library:
/// `read_plan_file` turns it into a diagnostic with its place.
class Malformed : public std::runtime_error {
 public:
  Malformed(const json::Value& where, const std::string& what)
      : std::runtime_error(what), offset_(where.offset()) {}
  /// Of the value that is wrong, in the file.
  std::uint32_t offset() const { return offset_; }

 private:
  std::uint32_t offset_;
};

/// A member that must be there.
const json::Value& member(const json::Value& object, std::string_view key);
/// A member that must be an object or an array.
const json::Value& table(const json::Value& object, std::string_view key);
std::span<const json::Value> list(const json::Value& object, std::string_view key);

/// What `value`, the value of `key`, must be.
std::string_view text(const json::Value& value, std::string_view key);
std::int64_t integer(const json::Value& value, std::string_view key);
/// A whole number that can be counted with: far above any hardware, far below any overflow.
std::int64_t count(const json::Value& value, std::string_view key);
/// Exact: a time finer than 1 ns is not a time of a plan.
Time time(const json::Value& value, std::string_view key, TimeUnit unit);

}  // namespace tactus::plan_source
