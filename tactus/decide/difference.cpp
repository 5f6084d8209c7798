#include "tactus/decide/difference.hpp"

#include <fmt/core.h>

#include "tactus/decide/attribute.hpp"

namespace tactus::decide {
namespace {

class Comparison {
 public:
  Comparison(const System& from, const System& to) : from_(from), to_(to) {}

  /// All attributes of an object but one that is looked at by itself.
  template <typename Owner>
  void compare(const std::string& name, const Owner& before, const Owner& after,
               std::string_view apart = {}) {
    if (before == after) return;
    for (const Field<Owner>& field : fields<Owner>()) {
      if (field.key == apart) continue;
      std::string old_value = written(field, from_, before);
      std::string new_value = written(field, to_, after);
      if (old_value == new_value) continue;
      found.push_back(
          {fmt::format("{}.{}", name, field.key), std::move(old_value), std::move(new_value)});
    }
  }

  std::vector<Change> found;

 private:
  const System& from_;
  const System& to_;
};

}  // namespace

std::vector<Change> changes_between(const System& from, const System& to) {
  Comparison comparison(from, to);
  for (ElementIndex e = 0; e < from.platform.elements.size(); ++e) {
    const Element &before = from.platform.elements[e], &after = to.platform.elements[e];
    comparison.compare(before.name, before, after);
  }
  for (TaskIndex t = 0; t < from.tasks.size(); ++t) {
    const Task &before = from.tasks[t], &after = to.tasks[t];
    comparison.compare(before.name, before, after, "nodes");
    for (NodeIndex n = 0; n < before.nodes.size(); ++n) {
      comparison.compare(fmt::format("{}.{}", before.name, before.nodes[n].name), before.nodes[n],
                         after.nodes[n]);
    }
  }
  comparison.compare("deploy", from.deploy.value_or(Deploy{}), to.deploy.value_or(Deploy{}));
  for (Change& change : comparison.found) {  // a method that is not there is not the empty one
    if (!from.deploy && change.path == "deploy.method") change.before.clear();
  }
  return std::move(comparison.found);
}

}  // namespace tactus::decide
