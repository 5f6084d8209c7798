#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/json_writer.hpp"

/// What schemas are put together from.
///
///     document("What it is", {{"task", text("Its name")}, {"bound", number("In time units")}});
namespace tactus::report::schema {

/// Writes the keywords of a schema into an object that is open.
using Schema = std::function<void(json::Writer&)>;

struct Key {
  std::string_view name;
  Schema schema;
  bool required = true;
};

Schema text(std::string_view about);
Schema word(std::string_view about, std::vector<std::string_view> words);
Schema integer(std::string_view about);
/// At least 0.
Schema number(std::string_view about);
/// Of any sign.
Schema signed_number(std::string_view about);
Schema flag(std::string_view about);
/// Any value of one of these types.
Schema any_of_types(std::string_view about, std::vector<std::string_view> types);
Schema list(std::string_view about, Schema items);
/// No other keys than these.
Schema object(std::string_view about, std::vector<Key> keys);
Schema object_or_null(std::string_view about, std::vector<Key> keys);
/// Any keys, all with values of one kind: by the name of a task, an element, a node.
Schema by_name(std::string_view about, Schema values);

inline Key optional(std::string_view name, Schema schema) {
  return {name, std::move(schema), false};
}

/// The whole text of a schema.
std::string document(std::string_view title, std::vector<Key> keys);

}  // namespace tactus::report::schema
