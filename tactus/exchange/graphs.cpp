#include "tactus/exchange/graphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/numbers.hpp"
#include "tactus/model/paths.hpp"

namespace tactus::exchange {
namespace {

constexpr std::array<std::string_view, 5> kUnits = {"ns", "us", "ms", "s", "unit"};
constexpr std::array<std::string_view, 3> kKinds = {"cpu", "copy", "gpu"};

struct CountField {
  std::string_view name;
  std::optional<std::int64_t> Node::*member;
};
constexpr CountField kCounts[] = {{"parallelism", &Node::parallelism},
                                  {"blocks", &Node::blocks},
                                  {"threads", &Node::threads},
                                  {"registers", &Node::registers},
                                  {"shared_memory", &Node::shared_memory}};
struct OptionalTimeField {
  std::string_view name;
  std::optional<Time> Node::*member;
};
constexpr OptionalTimeField kOptionalTimes[] = {{"wcet", &Node::wcet}, {"load", &Node::load}};
struct TimeField {
  std::string_view name;
  Time Node::*member;
  Rounding rounding;
};
constexpr TimeField kTimes[] = {{"bcet", &Node::bcet, Rounding::kDown},
                                {"launch", &Node::launch, Rounding::kUp},
                                {"load_min", &Node::load_min, Rounding::kDown},
                                {"overhead", &Node::overhead, Rounding::kUp}};
struct TaskCountField {
  std::string_view name;
  std::optional<std::int64_t> Task::*member;
};
constexpr TaskCountField kTaskCounts[] = {
    {"priority", &Task::priority}, {"gpu_priority", &Task::gpu_priority}, {"core", &Task::core}};

class DrawnGraphs {
 public:
  DrawnGraphs(const Drawing& drawing, const ImportOptions& options)
      : drawing_(drawing), options_(options) {}

  Draft build() {
    draft_.problems = drawing_.problems;
    System& system = draft_.system;
    system.time_unit = options_.time_unit;
    if (const std::string* unit = find(drawing_.attributes, "time_unit")) {
      const auto found = std::find(kUnits.begin(), kUnits.end(), *unit);
      if (found != kUnits.end()) system.time_unit = static_cast<TimeUnit>(found - kUnits.begin());
    }
    const std::string* name = find(drawing_.attributes, "name");
    system.name = clean_name(name != nullptr && !name->empty() ? *name : options_.name);
    read_elements();
    for (const DrawnGraph& graph : drawing_.graphs) {
      if (!graph.nodes.empty()) add_task(graph);
    }
    if (system.tasks.empty() && draft_.problems.empty()) return Draft::bad("there are no nodes");
    tell();
    return std::move(draft_);
  }

 private:
  static const std::string* find(const Attributes& all, std::string_view name) {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
  }
  void complain(Position at, std::string message) {
    constexpr std::size_t kMost = 20;
    if (draft_.problems.size() < kMost) {
      draft_.problems.push_back({std::move(message), {}, at});
    }
  }

  /// "cpu:cpu:4 gpu:gpu:132": what our own drawings say of the platform.
  void read_elements() {
    const std::string* all = find(drawing_.attributes, "elements");
    if (all == nullptr) return;
    for (std::size_t start = 0; start < all->size();) {
      const std::size_t end = std::min(all->find(';', start), all->size());
      const std::string one = all->substr(start, end - start);
      start = end + 1;
      const std::size_t last = one.rfind(':');
      const std::size_t first =
          last == std::string::npos || last == 0 ? last : one.rfind(':', last - 1);
      if (first == std::string::npos || last == std::string::npos) continue;
      const std::string kind = one.substr(first + 1, last - first - 1);
      const auto found = std::find(kKinds.begin(), kKinds.end(), kind);
      const auto units = whole(one.substr(last + 1));
      if (found == kKinds.end() || !units) continue;
      add_element(one.substr(0, first), static_cast<ElementKind>(found - kKinds.begin()), *units);
    }
  }

  ElementIndex add_element(const std::string& name, ElementKind kind, std::int64_t units) {
    Element element;
    element.name = name;
    element.kind = kind;
    element.units = units;
    draft_.system.platform.elements.push_back(std::move(element));
    return static_cast<ElementIndex>(draft_.system.platform.elements.size() - 1);
  }

  /// The element of a name; one that the file does not describe is guessed.
  ElementIndex element_named(const std::string& name) {
    auto& elements = draft_.system.platform.elements;
    for (ElementIndex i = 0; i < elements.size(); ++i) {
      if (elements[i].name == name) return i;
    }
    guessed_.insert(name);
    const bool gpu = name.find("gpu") != std::string::npos, copy = name.find("cop") == 0;
    const ElementKind kind = gpu    ? ElementKind::kGpu
                             : copy ? ElementKind::kCopy
                                    : ElementKind::kCpu;
    return add_element(name, kind,
                       gpu                          ? options_.sms.value_or(1)
                       : kind == ElementKind::kCopy ? 1
                                                    : options_.cores.value_or(1));
  }

  Time time(const DrawnNode& node, std::string_view name, const std::string& text,
            Rounding rounding) {
    const auto ns = scaled(text, decimal_places(draft_.system.time_unit), rounding);
    if (!ns) {
      complain(node.at, fmt::format("node {}: `{}` must be a time, got {}", quote(node.id), name,
                                    quote(text)));
    }
    return Time::from_ns(ns.value_or(0));
  }

  Node node_of(const DrawnNode& drawn, UniqueNames& names) {
    Node node;
    const std::string* label = find(drawn.attributes, "label");
    const std::string* own = find(drawn.attributes, "name");
    node.name = names.make(clean_name(own != nullptr     ? *own
                                      : label != nullptr ? *label
                                                         : drawn.id));
    node.at = drawn.at;
    const std::string* on = find(drawn.attributes, "on");
    if (on == nullptr) ++without_element_;
    node.on = element_named(on == nullptr ? "gpu" : *on);
    for (const auto& [name, value] : drawn.attributes) read_attribute(drawn, name, value, node);
    return node;
  }

  void read_attribute(const DrawnNode& drawn, const std::string& written, const std::string& value,
                      Node& node) {
    const bool duration = written == "weight" || written == "time" || written == "cost";
    if (duration && drawn.attributes.contains("wcet")) return;
    const std::string_view name = duration ? "wcet" : std::string_view(written);
    for (const OptionalTimeField& field : kOptionalTimes) {
      if (name == field.name) {
        node.*field.member = time(drawn, name, value, Rounding::kUp);
        return;
      }
    }
    for (const TimeField& field : kTimes) {
      if (name == field.name) {
        node.*field.member = time(drawn, name, value, field.rounding);
        return;
      }
    }
    for (const CountField& field : kCounts) {
      if (name != field.name) continue;
      node.*field.member = whole(value);
      if (!whole(value)) {
        complain(drawn.at, fmt::format("node {}: `{}` must be a whole number, got {}",
                                       quote(drawn.id), name, quote(value)));
      }
      return;
    }
    if (name != "label" && name != "name" && name != "on") left_out_.insert(written);
  }

  void add_task(const DrawnGraph& graph) {
    Task task;
    const std::string* label = find(graph.attributes, "label");
    const std::string wanted = label != nullptr ? *label : graph.name;
    task.name = task_names_.make(clean_name(wanted.empty() ? "graph" : wanted));
    task.at = graph.at;
    std::map<std::string, NodeIndex> places;
    UniqueNames names;
    for (const DrawnNode& drawn : graph.nodes) {
      if (!places.try_emplace(drawn.id, static_cast<NodeIndex>(task.nodes.size())).second) {
        complain(drawn.at, fmt::format("node {} is there twice", quote(drawn.id)));
      }
      task.nodes.push_back(node_of(drawn, names));
    }
    std::set<Edge> edges;
    for (const DrawnEdge& drawn : graph.edges) {
      const auto from = places.find(drawn.from), to = places.find(drawn.to);
      if (from == places.end() || to == places.end()) {
        complain(drawn.at, fmt::format("there is no node {} in this graph",
                                       quote(from == places.end() ? drawn.from : drawn.to)));
      } else if (from->second == to->second) {
        complain(drawn.at, fmt::format("node {} precedes itself", quote(drawn.from)));
      } else {
        edges.emplace(from->second, to->second);
      }
    }
    task.graph = Graph(static_cast<NodeIndex>(task.nodes.size()),
                       std::vector<Edge>(edges.begin(), edges.end()));
    read_rhythm(graph, task);
    draft_.system.tasks.push_back(std::move(task));
  }

  void read_rhythm(const DrawnGraph& graph, Task& task) {
    const int places = decimal_places(draft_.system.time_unit);
    const auto read = [&](std::string_view name) -> std::optional<Time> {
      const std::string* text = find(graph.attributes, name);
      if (text == nullptr) return std::nullopt;
      const auto ns = scaled(*text, places, Rounding::kDown);
      if (!ns) {
        complain(graph.at, fmt::format("graph {}: `{}` must be a time, got {}", quote(task.name),
                                       name, quote(*text)));
      }
      return Time::from_ns(ns.value_or(0));
    };
    const auto asked = [&](const std::map<std::string, Time, std::less<>>& given) {
      auto found = given.find(task.name);
      if (found == given.end()) found = given.find("");
      return found == given.end() ? std::nullopt : std::optional(found->second);
    };
    task.period = asked(options_.periods);
    if (!task.period) task.period = read("period");
    task.deadline = asked(options_.deadlines);
    if (!task.deadline) task.deadline = read("deadline");
    task.offset = read("offset").value_or(Time());
    for (const TaskCountField& field : kTaskCounts) {
      if (const std::string* text = find(graph.attributes, field.name)) {
        task.*field.member = whole(*text);
      }
    }
    if (!task.period) ++without_period_;
  }

  void tell() {
    for (const std::string& name : guessed_) {
      draft_.notes.push_back(fmt::format(
          "the file does not say what {} is: kind and units are guesses (--cores, --sms)",
          quote(name)));
    }
    if (without_element_ > 0) {
      draft_.notes.push_back(
          fmt::format("{} nodes do not say where they run (`on`): gpu assumed", without_element_));
    }
    if (without_period_ > 0) {
      draft_.notes.push_back(
          fmt::format("{} tasks have no period; --period gives them one", without_period_));
    }
    if (!left_out_.empty()) {
      draft_.notes.push_back(
          fmt::format("left out, because a system file has no such attributes: {}",
                      fmt::join(left_out_, ", ")));
    }
  }

  const Drawing& drawing_;
  const ImportOptions& options_;
  Draft draft_;
  UniqueNames task_names_;
  std::set<std::string> guessed_, left_out_;
  std::size_t without_element_ = 0, without_period_ = 0;
};

}  // namespace

Draft system_of(const Drawing& drawing, const ImportOptions& options) {
  return DrawnGraphs(drawing, options).build();
}

Attributes attributes_of(const System& system) {
  Attributes all;
  all["name"] = system.name;
  all["time_unit"] = kUnits[static_cast<std::size_t>(system.time_unit)];
  std::string elements;
  for (const Element& element : system.platform.elements) {
    elements += fmt::format("{}{}:{}:{}", elements.empty() ? "" : ";", element.name,
                            kKinds[static_cast<std::size_t>(element.kind)], element.units);
  }
  all["elements"] = elements;
  return all;
}

Attributes attributes_of(const System& system, const Task& task) {
  Attributes all;
  all["label"] = task.name;
  if (task.period) all["period"] = format_time(*task.period, system.time_unit);
  if (task.deadline) all["deadline"] = format_time(*task.deadline, system.time_unit);
  if (task.offset > Time()) all["offset"] = format_time(task.offset, system.time_unit);
  for (const TaskCountField& field : kTaskCounts) {
    if (task.*field.member) all[std::string(field.name)] = std::to_string(*(task.*field.member));
  }
  return all;
}

Attributes attributes_of(const System& system, const Node& node) {
  Attributes all;
  all["label"] = node.name;
  all["on"] = system.platform.elements[node.on].name;
  for (const OptionalTimeField& field : kOptionalTimes) {
    if (node.*field.member) {
      all[std::string(field.name)] = format_time(*(node.*field.member), system.time_unit);
    }
  }
  for (const TimeField& field : kTimes) {
    if (node.*field.member > Time()) {
      all[std::string(field.name)] = format_time(node.*field.member, system.time_unit);
    }
  }
  for (const CountField& field : kCounts) {
    if (node.*field.member) all[std::string(field.name)] = std::to_string(*(node.*field.member));
  }
  return all;
}

std::vector<std::string> not_drawn(const System& system) {
  std::vector<std::string> notes = {
      "measured curves (`times`), batches, `measured`, `command` and the costs of elements are not "
      "part of a drawing"};
  if (has_late_releases(system) || !system.chains.empty())
    notes.emplace_back("neither are `jitter`, `after` and chains");
  return notes;
}

}  // namespace tactus::exchange
