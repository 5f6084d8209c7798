#include "tactus/decide/edit.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "tactus/base/decimal.hpp"
#include "tactus/base/json_number.hpp"
#include "tactus/decide/attribute.hpp"
#include "tactus/model/paths.hpp"
#include "tactus/model/reader.hpp"

namespace tactus::decide {
namespace {

/// The text of a value as JSON: what is no JSON by itself is a string. A text that is not UTF-8 is
/// neither.
Result<json::Document> value_of(std::string_view text) {
  auto parsed = json::Document::parse(std::string(text));
  if (parsed) return parsed;
  json::Writer quoted(json::Layout::kOneLine);
  quoted.string(text);
  return json::Document::parse(quoted.take());
}

/// What a field must know to read its value: the unit, and the names it may refer to.
ReadContext context_for(const json::Document& value, const System& system, const Task* task) {
  ReadContext context(value);
  context.time_unit = system.time_unit;
  const auto names = [](const auto& items) {
    NameIndex index(items.size());
    for (std::uint32_t i = 0; i < items.size(); ++i) index.insert(items[i].name, i);
    return index;
  };
  context.elements = names(system.platform.elements);
  context.tasks = names(system.tasks);
  for (const Element& element : system.platform.elements) {
    context.facts.push_back({element.name, element.kind, element.units});
  }
  if (task != nullptr) context.nodes = names(task->nodes);
  return context;
}

/// The assignment that is being carried out.
struct Assignment {
  std::string_view path;  ///< up to the "="
  std::string_view value;
};

template <typename Owner>
std::optional<Error> unknown_attribute(std::string_view key, std::string_view whose,
                                       std::vector<std::string> others = {}) {
  for (const Field<Owner>& field : fields<Owner>()) others.emplace_back(field.key);
  return Error{
      fmt::format("{} has no attribute {}{}", whose, quote(key),
                  suggestion(key, std::vector<std::string_view>(others.begin(), others.end())))};
}

template <typename Owner>
const Field<Owner>* find_field(std::string_view key) {
  for (const Field<Owner>& field : fields<Owner>()) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

/// Of a time with a unit behind it: how the file would have it. Nothing for other texts.
std::string without_unit(std::string_view value, const System& system) {
  static constexpr std::pair<std::string_view, TimeUnit> kUnits[] = {
      {"ns", TimeUnit::kNs}, {"us", TimeUnit::kUs}, {"ms", TimeUnit::kMs}, {"s", TimeUnit::kS}};
  const std::size_t end = value.find_last_of("0123456789");
  if (system.time_unit == TimeUnit::kUnit || end == std::string_view::npos) return {};
  const std::string_view number = value.substr(0, end + 1);
  std::string_view unit = value.substr(end + 1);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (!is_json_number(number)) return {};
  std::string_view own;
  for (const auto& [name, of] : kUnits) own = of == system.time_unit ? name : own;
  for (const auto& [name, of] : kUnits) {
    if (name != unit) continue;
    const auto time = parse_scaled(number, decimal_places(of), Rounding::kUp);
    if (!time) return {};
    return fmt::format("; times are in {} here, without a unit: {}", own,
                       format_scaled(time->value, decimal_places(system.time_unit)));
  }
  return {};
}

/// Reads the value into the attribute, and books the change.
template <typename Owner>
std::optional<Error> assign(Edited& edited, Owner& owner, const Field<Owner>& field,
                            const Assignment& what, const Task* task = nullptr) {
  if (field.key == "name" || field.key == "time_unit" || field.key == "tactus") {
    return Error{fmt::format("{} cannot be changed here, only in the file", quote(field.key))};
  }
  const std::string before = written(field, edited.system, owner);
  const Result<json::Document> value = value_of(what.value);
  if (!value) return value.error();
  ReadContext context = context_for(*value, edited.system, task);
  const bool read = field.read(value->root(), field.key, context, owner);
  for (const Diagnostic& diagnostic : context.take_diagnostics()) {
    if (diagnostic.severity == Severity::kError) {
      const bool time = diagnostic.message.find("must be a time") != std::string::npos;
      return Error{diagnostic.message + (time ? without_unit(what.value, edited.system) : "")};
    }
    edited.notes.push_back(fmt::format("{}: {}", what.path, diagnostic.message));
  }
  if (!read) return Error{fmt::format("{} cannot be {}", quote(field.key), quote(what.value))};
  edited.changes.push_back({std::string(what.path), before, written(field, edited.system, owner)});
  return std::nullopt;
}

/// A part of the object under a key of its own ("gpu.sm.threads"), made where it is not there yet.
template <typename Part>
std::optional<Error> assign_part(Edited& edited, Part& part, std::string_view key,
                                 std::string_view whose, const Assignment& what) {
  const Field<Part>* field = find_field<Part>(key);
  if (field == nullptr) return unknown_attribute<Part>(key, whose);
  return assign(edited, part, *field, what);
}

/// The rest of a path after a name and its dot; nothing where it does not begin so.
std::optional<std::string_view> after(std::string_view path, std::string_view name) {
  if (!path.starts_with(name) || path.size() <= name.size() || path[name.size()] != '.') {
    return std::nullopt;
  }
  return path.substr(name.size() + 1);
}

/// The one with the longest name that a path begins with: names may have dots in them.
template <typename Items>
auto longest_match(Items& items, std::string_view path) -> decltype(items.data()) {
  decltype(items.data()) found = nullptr;
  for (auto& item : items) {
    if (after(path, item.name) && (!found || item.name.size() > found->name.size())) found = &item;
  }
  return found;
}

void note_whole_times(Edited& edited, const Element& element, ElementIndex index) {
  std::size_t nodes = 0;
  for (const Task& task : edited.system.tasks) {
    for (const Node& node : task.nodes) {
      nodes += node.on == index && node.wcet && !node.parallelism ? 1 : 0;
    }
  }
  if (nodes == 0 || element.kind != ElementKind::kGpu) return;
  edited.notes.push_back(fmt::format(
      "`wcet` of {} on {} is the time with the whole element, and is now taken for {} units",
      nodes == 1 ? "1 node" : fmt::format("{} nodes", nodes), quote(element.name), element.units));
}

std::optional<Error> assign_element(Edited& edited, Element& element, std::string_view rest,
                                    const Assignment& what) {
  if (const auto key = after(rest, "sm")) {
    if (!element.sm) element.sm = SmLimits{};
    return assign_part(edited, *element.sm, *key, "`sm`", what);
  }
  const Field<Element>* field = find_field<Element>(rest);
  if (field == nullptr) return unknown_attribute<Element>(rest, "element " + quote(element.name));
  if (auto problem = assign(edited, element, *field, what)) return problem;
  const auto index = static_cast<ElementIndex>(&element - edited.system.platform.elements.data());
  if (field->key == "units") note_whole_times(edited, element, index);
  return std::nullopt;
}

std::optional<Error> assign_node(Edited& edited, const Task& task, Node& node,
                                 std::string_view rest, const Assignment& what) {
  if (const auto point = after(rest, "times")) {  // times.8.wcet
    for (TimesEntry& entry : node.times) {
      const auto key = after(*point, std::to_string(entry.units));
      if (key) return assign_part(edited, entry, *key, "an entry of `times`", what);
    }
    return Error{
        fmt::format("node {} has no such entry of `times`; name one by its units, as in "
                    "times.8.wcet",
                    quote(node.name))};
  }
  const Field<Node>* field = find_field<Node>(rest);
  if (field == nullptr) return unknown_attribute<Node>(rest, "node " + quote(node.name));
  return assign(edited, node, *field, what, &task);
}

/// "a, b, c, ...": not more than people read.
std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  const bool more = names.size() > kMost;
  return fmt::format(
      "{}{}",
      fmt::join(names.begin(),
                names.begin() + static_cast<std::ptrdiff_t>(more ? kMost : names.size()), ", "),
      more ? ", ..." : "");
}

/// An attribute that nodes have was set of their task.
Error of_its_nodes(const Task& task, std::string_view key) {
  std::vector<std::string> paths;
  for (const Node& node : task.nodes) {
    paths.push_back(quote(fmt::format("{}.{}.{}", task.name, node.name, key)));
  }
  return Error{fmt::format("task {} has no attribute {}, its nodes have; did you mean {}?",
                           quote(task.name), quote(key), first_of(paths))};
}

std::optional<Error> assign_task(Edited& edited, Task& task, std::string_view rest,
                                 const Assignment& what) {
  if (Node* node = longest_match(task.nodes, rest)) {
    return assign_node(edited, task, *node, *after(rest, node->name), what);
  }
  const Field<Task>* field = find_field<Task>(rest);
  if (field == nullptr && find_field<Node>(rest) != nullptr) return of_its_nodes(task, rest);
  if (field == nullptr) {
    std::vector<std::string> nodes;
    for (const Node& node : task.nodes) nodes.push_back(node.name);
    const std::string_view first = rest.substr(0, rest.find('.'));
    if (first.size() == rest.size()) {
      return unknown_attribute<Task>(rest, "task " + quote(task.name), std::move(nodes));
    }
    return Error{
        fmt::format("task {} has no node {}{}", quote(task.name), quote(first),
                    suggestion(first, std::vector<std::string_view>(nodes.begin(), nodes.end())))};
  }
  const bool implicit = field->key == "period" && task.deadline == task.period;
  const std::string before =
      task.deadline ? format_time(*task.deadline, edited.system.time_unit) : std::string();
  if (auto problem = assign(edited, task, *field, what, &task)) return problem;
  if (implicit && task.deadline != task.period) {
    task.deadline = task.period;
    edited.changes.push_back({fmt::format("{}.deadline", task.name), before,
                              format_time(*task.deadline, edited.system.time_unit)});
  }
  if (field->key == "period" && !task.after) follow_periods(edited.system);
  if (field->key == "after") {  // they become those of the path, which `finish` finds
    if (task.deadline == task.period) task.deadline.reset();
    task.period.reset();
  }
  return std::nullopt;
}

std::optional<Error> unknown_name(const System& system, std::string_view path) {
  const std::string_view first = path.substr(0, path.find('.'));
  std::vector<std::string> names, nodes;
  for (const Task& task : system.tasks) {
    names.push_back(task.name);
    for (const Node& node : task.nodes) {
      if (node.name == first) nodes.push_back(quote(fmt::format("{}.{}", task.name, path)));
    }
  }
  for (const Element& element : system.platform.elements) names.push_back(element.name);
  for (const Chain& chain : system.chains) names.push_back(chain.name);
  std::string meant =
      nodes.empty() ? suggestion(first, names) : fmt::format("; did you mean {}?", first_of(nodes));
  if (meant.empty()) meant = fmt::format("; there are {}", first_of(names));
  return Error{fmt::format("there is no task{} element {}{}",
                           system.chains.empty() ? " or" : ", chain or", quote(first), meant)};
}

std::optional<Error> assign_path(Edited& edited, const Assignment& what) {
  System& system = edited.system;
  Task* const task = longest_match(system.tasks, what.path);
  Element* const element = longest_match(system.platform.elements, what.path);
  if (task != nullptr && element != nullptr && task->name == element->name) {
    // The attribute tells which is meant.
    const std::string_view rest = *after(what.path, element->name);
    const bool of_element = find_field<Element>(rest) != nullptr || after(rest, "sm");
    if (of_element) return assign_element(edited, *element, rest, what);
    return assign_task(edited, *task, rest, what);
  }
  if (task != nullptr && (element == nullptr || task->name.size() > element->name.size())) {
    return assign_task(edited, *task, *after(what.path, task->name), what);
  }
  if (element != nullptr) {
    return assign_element(edited, *element, *after(what.path, element->name), what);
  }
  if (Chain* const chain = longest_match(system.chains, what.path)) {
    return assign_part(edited, *chain, *after(what.path, chain->name),
                       "chain " + quote(chain->name), what);
  }
  if (const auto key = after(what.path, "deploy")) {
    if (!system.deploy) system.deploy = Deploy{};
    return assign_part(edited, *system.deploy, *key, "`deploy`", what);
  }
  if (const auto key = after(what.path, "interference")) {
    if (!system.interference) system.interference = Interference{};
    return assign_part(edited, *system.interference, *key, "`interference`", what);
  }
  return unknown_name(system, what.path);
}

/// "`units` is 8 here and 4 there, `time_slice` ...". What the other file does not say counts as here,
/// as do cores beyond those that it needs; its kernels were measured on all SMs, though.
std::string differences(const System& system, const Element& here, const Element& there) {
  std::vector<std::string> all;
  const auto shown = [](const std::string& value) { return value.empty() ? "not given" : value; };
  for (const Field<Element>& field : fields<Element>()) {
    const std::string own = written(field, system, here), other = written(field, system, there);
    if (own == other || other.empty()) continue;
    const bool fewer_cores =
        field.key == "units" && here.kind == ElementKind::kCpu && there.units <= here.units;
    if (fewer_cores) continue;
    all.push_back(
        fmt::format("{} is {} here and {} there", quote(field.key), shown(own), shown(other)));
  }
  return first_of(all);
}

/// The index of an element of another system in this one, where it is added if nobody has its name.
Result<ElementIndex> same_element(System& system, const Element& other) {
  auto& elements = system.platform.elements;
  const auto found = std::find_if(elements.begin(), elements.end(),
                                  [&](const Element& own) { return own.name == other.name; });
  if (found == elements.end()) {
    elements.push_back(other);
    elements.back().at = {};
    return static_cast<ElementIndex>(elements.size() - 1);
  }
  const std::string differing = differences(system, *found, other);
  if (differing.empty()) return static_cast<ElementIndex>(found - elements.begin());
  return Error{fmt::format("its element {} differs from that of the same name: {}",
                           quote(other.name), differing)};
}

}  // namespace

std::optional<Error> set(Edited& edited, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const auto wrong = [&](std::string_view problem) {
    return Error{fmt::format("--set {}: {}", quote(assignment), problem)};
  };
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == assignment.size()) {
    return wrong("expected PATH=VALUE, such as camera.detect.wcet=11 or gpu.units=24");
  }
  const Assignment what{assignment.substr(0, equals), assignment.substr(equals + 1)};
  if (what.path.find('.') == std::string_view::npos) {
    return wrong("expected a path such as camera.period, camera.detect.wcet or gpu.units");
  }
  Edited changed = edited;
  if (auto problem = assign_path(changed, what)) return wrong(problem->message);
  edited = std::move(changed);
  return std::nullopt;
}

std::optional<Error> add(Edited& edited, const System& other, std::string_view name,
                         std::string_view option) {
  System& system = edited.system;
  const auto wrong = [&](std::string_view problem) {
    return Error{fmt::format("{} {}: {}", option, name, problem)};
  };
  std::vector<ElementIndex> elements;
  for (const Element& element : other.platform.elements) {
    const Result<ElementIndex> index = same_element(system, element);
    if (!index) return wrong(index.error().message);
    elements.push_back(*index);
  }
  const auto first = static_cast<TaskIndex>(system.tasks.size());
  json::Writer names(json::Layout::kOneLine);
  names.begin_array();
  for (const Task& task : other.tasks) {
    const bool taken = std::any_of(system.tasks.begin(), system.tasks.end(),
                                   [&](const Task& own) { return own.name == task.name; });
    if (taken) return wrong(fmt::format("there is a task {} already", quote(task.name)));
    Task& added = system.tasks.emplace_back(task);
    added.at = {};  // a place in the other file
    if (added.after) *added.after += first;
    for (Node& node : added.nodes) {
      node.on = elements[node.on];
      node.at = {};
    }
    names.string(added.name);
  }
  for (const Batch& batch : other.batches) {
    Batch& added = system.batches.emplace_back(batch);
    added.at = {};
    for (TaskIndex& task : added.tasks) task += first;
  }
  for (const Chain& chain : other.chains) {
    Chain& added = system.chains.emplace_back(chain);
    added.at = {};
    for (TaskIndex& task : added.tasks) task += first;
  }
  std::string text = names.end_array().take();
  text.erase(text.find_last_not_of('\n') + 1);
  edited.changes.push_back({std::string(name), "", std::move(text), true});
  return std::nullopt;
}

std::vector<Diagnostic> finish(Edited& edited) {
  ReadResult checked = check_system(edited.system);
  if (!checked.system) return std::move(checked.diagnostics);
  edited.system = std::move(*checked.system);
  return {};
}

std::string to_string(const Change& change) {
  if (change.added) return fmt::format("{} added: {}", change.path, change.after);
  return fmt::format("{}: {} -> {}", change.path,
                     change.before.empty() ? "(not given)" : change.before,
                     change.after.empty() ? "(not given)" : change.after);
}

}  // namespace tactus::decide
