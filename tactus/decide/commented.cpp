#include "tactus/decide/commented.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <functional>

#include "tactus/base/printable.hpp"
#include "tactus/decide/attribute.hpp"

namespace tactus::decide {
namespace {

/// `"key": value` of each field that the file would have; `instead` gives the text of some.
template <typename Owner>
std::vector<std::string> members_of(const System& system, const Owner& owner,
                                    const std::function<std::string(std::string_view)>& instead) {
  std::vector<std::string> members;
  for (const Field<Owner>& field : fields<Owner>()) {
    std::string value = instead ? instead(field.key) : std::string();
    if (value.empty()) value = written(field, system, owner);
    if (!value.empty()) members.push_back(fmt::format("\"{}\": {}", field.key, value));
  }
  return members;
}

template <typename Owner>
std::string on_a_line(const System& system, const Owner& owner) {
  return fmt::format("{{ {} }}", fmt::join(members_of(system, owner, {}), ", "));
}

std::string comment(const std::vector<std::string>& all, std::size_t k) {
  if (k >= all.size() || all[k].empty()) return {};
  return fmt::format("    // {}\n", printable_line(all[k]));
}

std::string task_text(const System& system, const Task& task) {
  std::vector<std::string> nodes;
  for (const Node& node : task.nodes) nodes.push_back(on_a_line(system, node));
  std::string out;
  for (const std::string& member :
       members_of<Task>(system, task, [&](std::string_view key) -> std::string {
         return key == "nodes" ? fmt::format("[\n        {} ]", fmt::join(nodes, ",\n        "))
                               : "";
       })) {
    const bool nodes_follow = member.starts_with("\"nodes\"");
    out += fmt::format("{}{}", out.empty() ? "" : nodes_follow ? ",\n      " : ", ", member);
  }
  return fmt::format("    {{ {} }}", out);
}

/// Items between brackets, with a comment before each.
template <typename Items>
std::string list(const Items& items, const std::vector<std::string>& comments,
                 const std::function<std::string(const typename Items::value_type&)>& text) {
  std::string out = "[";
  for (std::size_t k = 0; k < items.size(); ++k) {
    out += fmt::format("{}\n{}{}", k == 0 ? "" : ",", comment(comments, k), text(items[k]));
  }
  return out + "\n  ]";
}

}  // namespace

std::string commented(const System& system, const Comments& comments) {
  std::string out;
  for (const std::string& line : comments.head) {
    out += fmt::format("// {}\n", printable_line(line));
  }
  const auto member = [&](std::string_view key) -> std::string {
    if (key == "platform") {
      return fmt::format(
          "{{ \"elements\": {} }}",
          list(system.platform.elements, comments.elements,
               [&](const Element& element) { return "    " + on_a_line(system, element); }));
    }
    if (key == "chains" && !system.chains.empty()) {
      return list(system.chains, {},
                  [&](const Chain& chain) { return "    " + on_a_line(system, chain); });
    }
    if (key != "tasks") return {};
    return list(system.tasks, comments.tasks,
                [&](const Task& task) { return task_text(system, task); });
  };
  return out + fmt::format("{{\n  {}\n}}\n",
                           fmt::join(members_of<System>(system, system, member), ",\n  "));
}

}  // namespace tactus::decide
