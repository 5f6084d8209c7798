#include "tests/model/json_tree.hpp"

#include <utility>

#include "tactus/base/json_writer.hpp"

namespace tactus {
namespace {

using json::Kind;

void write(json::Writer& out, const JsonTree& tree) {
  switch (tree.kind) {
    case Kind::kNull:
      out.null();
      return;
    case Kind::kBool:
      out.boolean(tree.scalar == "true");
      return;
    case Kind::kNumber:
      out.number(tree.scalar);
      return;
    case Kind::kString:
      out.string(tree.scalar);
      return;
    case Kind::kArray:
      out.begin_array();
      for (const JsonTree& child : tree.children) write(out, child);
      out.end_array();
      return;
    case Kind::kObject:
      out.begin_object();
      for (const JsonTree& child : tree.children) write(out.key(child.key), child);
      out.end_object();
      return;
  }
}

/// Values at and beyond the edges of what any attribute takes.
JsonTree awkward_value(Random& random) {
  static const std::vector<JsonTree> kValues = [] {
    std::vector<JsonTree> values = {{Kind::kNull, {}, {}, {}},
                                    {Kind::kBool, "true", {}, {}},
                                    {Kind::kBool, "false", {}, {}},
                                    {Kind::kArray, {}, {}, {}},
                                    {Kind::kObject, {}, {}, {}}};
    for (const char* number : {"0", "-0", "1", "2", "1.0", "0.5", "1.5", "-1", "1e-300", "-1e-300",
                               "1e300", "0.999999999999", "2147483647", "2147483648",
                               "9223372036854775807", "9223372036854775808"}) {
      values.push_back({Kind::kNumber, number, {}, {}});
    }
    for (const std::string& text :
         {std::string(), std::string("x"), std::string("cpu"), std::string("ms"),
          std::string("none"), std::string(1000, 'y'), std::string(1001, 'y')}) {
      values.push_back({Kind::kString, text, {}, {}});
    }
    return values;
  }();
  return kValues[static_cast<std::size_t>(
      random.integer(0, static_cast<std::int64_t>(kValues.size()) - 1))];
}

}  // namespace

JsonTree JsonTree::from(const json::Value& value) {
  JsonTree tree;
  tree.kind = value.kind();
  if (value.is(Kind::kArray)) {
    for (const json::Value& item : value.items()) tree.children.push_back(from(item));
  } else if (value.is(Kind::kObject)) {
    for (const json::Member& member : value.members()) {
      tree.children.push_back(from(member.value));
      tree.children.back().key = member.key;
    }
  } else if (value.is(Kind::kBool)) {
    tree.scalar = value.boolean() ? "true" : "false";
  } else {
    tree.scalar = value.text();
  }
  return tree;
}

std::string JsonTree::text() const {
  json::Writer out;
  write(out, *this);
  return out.take();
}

std::size_t JsonTree::size() const {
  std::size_t total = 1;
  for (const JsonTree& child : children) total += child.size();
  return total;
}

JsonTree& JsonTree::at(std::size_t place) {
  if (place == 0) return *this;
  --place;
  for (JsonTree& child : children) {
    const std::size_t below = child.size();
    if (place < below) return child.at(place);
    place -= below;
  }
  return *this;
}

void JsonTree::become(JsonTree other) {
  other.key = key;
  *this = std::move(other);
}

void JsonTree::mutate(Random& random) {
  const auto below = [&](std::size_t limit) {
    return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(limit) - 1));
  };
  JsonTree& place = at(below(size()));
  if (place.children.empty()) {
    // A scalar: an awkward value, or one that stands elsewhere in the file.
    place.become(random.chance(0.7) ? awkward_value(random) : JsonTree(at(below(size()))));
    return;
  }
  const std::size_t child = below(place.children.size());
  switch (random.integer(0, 4)) {
    case 0:
      place.children.erase(place.children.begin() + static_cast<std::ptrdiff_t>(child));
      return;
    case 1:
      place.children.push_back(place.children[child]);
      return;
    case 2:
      place.children[child].key += "x";
      return;
    case 3:
      place.children.push_back(awkward_value(random));
      place.children.back().key = "lanes";
      return;
    default:
      place.children[child].become(awkward_value(random));
  }
}

}  // namespace tactus
