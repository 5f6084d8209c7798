#pragma once

#include <string>
#include <vector>

#include "tactus/base/json.hpp"
#include "tactus/base/random.hpp"

namespace tactus {

/// A JSON value that can be changed, for tests that damage valid files.
struct JsonTree {
  json::Kind kind = json::Kind::kNull;
  std::string scalar;              ///< text of a number, string or bool
  std::vector<JsonTree> children;  ///< of an array or object
  std::string key;                 ///< in the object around it

  static JsonTree from(const json::Value& value);
  std::string text() const;

  /// Changes one random place: another value, a key renamed, removed, repeated or made up.
  void mutate(Random& random);

 private:
  std::size_t size() const;
  JsonTree& at(std::size_t place);
  /// Takes the value of `other` and keeps its own key.
  void become(JsonTree other);
};

}  // namespace tactus
