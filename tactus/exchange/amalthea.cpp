#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/numbers.hpp"
#include "tactus/exchange/source.hpp"
#include "tactus/exchange/xml.hpp"
#include "tactus/model/paths.hpp"

/// Models of AMALTHEA (Eclipse APP4MC), as far as a system file can say the same: tasks with their
/// stimuli, runnables with ticks, processing units with their frequencies, mapping, event chains with
/// their limits. A task of a GPU becomes part of the task that triggers it, at the place where it does.
namespace tactus::exchange {
namespace {

/// A problem of the file, with its place.
struct Refused {
  Diagnostic problem;
};
[[noreturn]] void refuse(const XmlElement& at, std::string message) {
  throw Refused{{std::move(message), {}, at.at}};
}

/// "Core%200?type=ProcessingUnit" is "Core 0"; blanks are between several.
std::vector<std::string> names_in(std::string_view references) {
  std::vector<std::string> names;
  while (!references.empty()) {
    const std::size_t end = std::min(references.find(' '), references.size());
    std::string_view one = references.substr(0, end);
    references.remove_prefix(std::min(end + 1, references.size()));
    if (one.starts_with("amlt:/#")) one.remove_prefix(7);
    one = one.substr(0, one.find('?'));
    std::string name;
    for (std::size_t i = 0; i < one.size(); ++i) {
      unsigned code = 0;
      const bool escaped =
          one[i] == '%' && i + 2 < one.size() &&
          std::from_chars(&one[i + 1], &one[i + 1] + 2, code, 16).ptr == &one[i + 1] + 2;
      name += escaped ? static_cast<char>(code) : one[i] == '+' ? ' ' : one[i];
      i += escaped ? 2 : 0;
    }
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

/// What an element refers to, by an attribute, or by a child when the model is in several files.
std::vector<std::string> references(const XmlElement& element, std::string_view key) {
  std::vector<std::string> names = names_in(element[key]);
  for (const XmlElement* child : element.all(key)) {
    for (std::string& name : names_in((*child)["href"])) names.push_back(std::move(name));
  }
  return names;
}
std::string reference(const XmlElement& element, std::string_view key) {
  const auto names = references(element, key);
  return names.empty() ? std::string() : names.front();
}

/// "am:Ticks" is "Ticks".
std::string_view type_of(const XmlElement& element) {
  const std::string_view type = element["xsi:type"];
  return type.substr(type.find(':') + 1);
}

struct Bounds {
  std::int64_t lower = 0, upper = 0;
};

struct Unit {  ///< a processing unit
  std::string name, definition;
  std::int64_t hertz = 0;
  bool gpu = false;
  ElementIndex element = 0;
  std::int64_t core = 0;  ///< of a CPU, counted from 1
};

/// A piece of a task, before nodes are made of it.
struct Piece {
  std::string name;
  ElementIndex on = 0;
  Time lower, upper;
};

class AmaltheaReader {
 public:
  AmaltheaReader(const XmlElement& root, const ImportOptions& options)
      : root_(root), options_(options) {}

  Draft read() {
    draft_.system.name = clean_name(options_.name);
    draft_.system.time_unit = options_.time_unit;
    index();
    read_hardware();
    read_mapping();
    for (const auto& [name, task] : tasks_in_order_) {
      if (!inlined_.contains(name)) add_task(name, *task);
    }
    if (draft_.system.tasks.empty()) refuse(root_, "the model has no tasks (swModel)");
    read_triggers();
    read_requirements();
    read_chains();
    leave_out_equal_priorities();
    tell();
    return std::move(draft_);
  }

 private:
  template <typename... Arguments>
  void note(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    draft_.notes.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  void index() {
    for (const XmlElement& model : root_.children) {
      for (const XmlElement& one : model.children) {
        const std::string& name = one["name"];
        if (model.name == "swModel" && one.name == "tasks")
          tasks_in_order_.emplace_back(name, &one);
        if (model.name == "swModel" && one.name == "isrs") ++left_out_["interrupts"];
        if (model.name == "swModel" && one.name == "runnables") runnables_[name] = &one;
        if (model.name == "stimuliModel" && one.name == "stimuli") stimuli_[name] = &one;
        if (model.name == "eventModel" && one.name == "events") events_[name] = &one;
      }
    }
  }

  std::vector<const XmlElement*> in(std::string_view model, std::string_view name) const {
    std::vector<const XmlElement*> found;
    for (const XmlElement* one : root_.all(model)) {
      const auto more = one->all(name);
      found.insert(found.end(), more.begin(), more.end());
    }
    return found;
  }

  // Hardware

  void read_hardware() {
    std::map<std::string, std::int64_t> hertz;
    for (const XmlElement* domain : in("hwModel", "domains")) {
      const XmlElement* value = domain->find("defaultValue");
      if (value == nullptr) continue;
      const std::string& unit = (*value)["unit"];
      const int places = unit == "GHz"                    ? 9
                         : unit == "MHz"                  ? 6
                         : unit == "kHz" || unit == "KHz" ? 3
                                                          : 0;
      const auto read = scaled((*value)["value"], places, Rounding::kDown);
      if (!read || *read <= 0) refuse(*value, "a frequency must be a number > 0");
      hertz[(*domain)["name"]] = *read;
    }
    std::set<std::string> gpus;
    for (const XmlElement* definition : in("hwModel", "definitions")) {
      if ((*definition)["puType"] == "GPU") gpus.insert((*definition)["name"]);
    }
    Element cpu;
    cpu.name = "cpu";
    cpu.kind = ElementKind::kCpu;
    cpu.units = 0;
    draft_.system.platform.elements.push_back(cpu);
    for (const XmlElement* structure : in("hwModel", "structures")) {
      read_structure(*structure, hertz, gpus);
    }
    auto& cores = draft_.system.platform.elements[0].units;
    if (cores == 0) refuse(root_, "the model has no processing unit that is a CPU (hwModel)");
    if (options_.cores) cores = std::max(cores, *options_.cores);
  }

  void read_structure(const XmlElement& structure, const std::map<std::string, std::int64_t>& hertz,
                      const std::set<std::string>& gpus) {
    for (const XmlElement& one : structure.children) {
      if (one.name == "structures") read_structure(one, hertz, gpus);
      if (one.name != "modules" || type_of(one) != "ProcessingUnit") continue;
      Unit unit{one["name"], reference(one, "definition"), 0, false, 0, 0};
      const auto known = hertz.find(reference(one, "frequencyDomain"));
      if (known == hertz.end()) {
        refuse(one,
               fmt::format("processing unit {}: nothing says its frequency", quote(unit.name)));
      }
      unit.hertz = known->second;
      unit.gpu = gpus.contains(unit.definition);
      auto& elements = draft_.system.platform.elements;
      if (unit.gpu) {
        unit.element = static_cast<ElementIndex>(elements.size());
        Element gpu;
        gpu.name = clean_name(unit.name);
        gpu.kind = ElementKind::kGpu;
        gpu.units = options_.sms.value_or(1);
        elements.push_back(std::move(gpu));
        if (!options_.sms) {
          note("the model does not say how many SMs {} has: 1 assumed; --sms changes it",
               quote(unit.name));
        }
      } else {
        unit.core = ++elements[0].units;
      }
      units_in_order_.push_back(unit.name);
      units_[unit.name] = std::move(unit);
    }
  }

  // Mapping

  void read_mapping() {
    std::map<std::string, std::vector<std::string>> units_of_scheduler;
    for (const XmlElement* one : in("mappingModel", "schedulerAllocation")) {
      auto& units = units_of_scheduler[reference(*one, "scheduler")];
      for (std::string& unit : references(*one, "responsibility")) units.push_back(std::move(unit));
      if (units.empty()) units = references(*one, "executingPU");
    }
    for (const XmlElement* one : in("mappingModel", "taskAllocation")) {
      const std::string task = reference(*one, "task");
      std::vector<std::string> units = references(*one, "affinity");
      if (units.empty()) units = units_of_scheduler[reference(*one, "scheduler")];
      for (const std::string& unit : units) {
        if (!units_.contains(unit)) {
          refuse(*one, fmt::format("there is no processing unit {}", quote(unit)));
        }
      }
      mapped_[task] = units;
      if (const auto priority = priority_of(*one)) priorities_[task] = *priority;
    }
    for (const auto& [name, task] : tasks_in_order_) {
      const auto own = mapped_.find(name);
      const bool gpu =
          own != mapped_.end() && !own->second.empty() && units_.at(own->second.front()).gpu;
      if (gpu) inlined_.insert(name);
    }
  }

  /// The model has had three places for it.
  static std::optional<std::int64_t> priority_of(const XmlElement& allocation) {
    for (const XmlElement* one : allocation.all("schedulingParameters")) {
      if (const auto plain = whole((*one)["priority"])) return plain;
      if ((*one)["key"].find("riority") == std::string::npos) continue;
      if (const XmlElement* value = one->find("value")) return whole((*value)["value"]);
    }
    return std::nullopt;
  }

  /// Where a task may run; all CPUs if nothing says.
  std::vector<const Unit*> units_for(const std::string& task) const {
    std::vector<const Unit*> found;
    const auto own = mapped_.find(task);
    if (own != mapped_.end()) {
      for (const std::string& name : own->second) found.push_back(&units_.at(name));
    }
    if (!found.empty()) return found;
    for (const std::string& name : units_in_order_) {
      if (!units_.at(name).gpu) found.push_back(&units_.at(name));
    }
    return found;
  }

  // Times

  std::optional<Time> time(const XmlElement* element, Rounding rounding) const {
    if (element == nullptr) return std::nullopt;
    const std::string& unit = (*element)["unit"];
    const int places = unit == "s"    ? 9
                       : unit == "ms" ? 6
                       : unit == "us" ? 3
                       : unit == "ns" ? 0
                                      : -1;
    const auto read = places < 0 ? std::nullopt : scaled((*element)["value"], places, rounding);
    if (!read || *read < 0) {
      refuse(*element, fmt::format("this must be a time >= 0 in s, ms, us or ns, got {} {}",
                                   quote((*element)["value"]), quote(unit)));
    }
    return Time::from_ns(*read);
  }

  /// A constant, or the bounds of a distribution.
  static Bounds bounds_of(const XmlElement& value) {
    const auto number = [&](const char* key, Rounding rounding) -> std::optional<std::int64_t> {
      if (value[key].empty()) return std::nullopt;
      const auto read = scaled(value[key], 0, rounding);
      if (!read || *read < 0) {
        refuse(value, fmt::format("`{}` must be a number >= 0, got {}", key, quote(value[key])));
      }
      return read;
    };
    if (const auto constant = number("value", Rounding::kUp)) return {*constant, *constant};
    std::optional<std::int64_t> lower = number("lowerBound", Rounding::kDown);
    std::optional<std::int64_t> upper = number("upperBound", Rounding::kUp);
    for (const XmlElement* entry : value.all("entries")) {  // a histogram
      const Bounds one = bounds_of(*entry);
      lower = std::min(lower.value_or(one.lower), one.lower);
      upper = std::max(upper.value_or(one.upper), one.upper);
    }
    if (!upper) {
      refuse(value, fmt::format("{} has no `upperBound`, so there is no longest time",
                                quote(type_of(value))));
    }
    return {std::min(lower.value_or(0), *upper), *upper};
  }

  /// Ticks for one kind of processing unit; nothing if the model has none for it.
  static std::optional<Bounds> ticks_for(const XmlElement& ticks, const std::string& definition) {
    for (const XmlElement* extended : ticks.all("extended")) {
      if (reference(*extended, "key") != definition) continue;
      if (const XmlElement* value = extended->find("value")) return bounds_of(*value);
    }
    const XmlElement* usual = ticks.find("default");
    return usual == nullptr ? std::nullopt : std::optional(bounds_of(*usual));
  }

  static Time time_of(std::int64_t ticks, std::int64_t hertz, Rounding rounding) {
    constexpr __int128 kSecond = 1'000'000'000;
    const __int128 up = rounding == Rounding::kUp ? hertz - 1 : 0;
    const __int128 ns = (ticks * kSecond + up) / hertz;
    if (ns > INT64_MAX) throw OverflowError();
    return Time::from_ns(static_cast<std::int64_t>(ns));
  }

  // What tasks do

  static const XmlElement* graph_of(const XmlElement& process) {
    for (const char* name : {"activityGraph", "callGraph"}) {
      if (const XmlElement* graph = process.find(name)) return graph;
    }
    return nullptr;
  }

  /// The items of a task or a runnable, on units of one kind; what it triggers on a GPU comes in.
  void walk(const XmlElement& graph, const std::vector<const Unit*>& units,
            const std::string& owner, std::vector<Piece>& pieces, int depth) {
    constexpr int kDeepest = 40;
    if (depth > kDeepest) refuse(graph, "calls are nested too deeply, or call themselves");
    if (++walked_ > kMostItems) refuse(graph, "the calls of its tasks are too many");
    for (const XmlElement& item : graph.children) {
      const std::string_view type = type_of(item);
      if (type == "Ticks" || item.name == "ticks") {
        add_ticks(item, units, owner, pieces);
      } else if (type == "RunnableCall") {
        const auto known = runnables_.find(reference(item, "runnable"));
        if (known == runnables_.end()) {
          refuse(item, fmt::format("there is no runnable {} in this file",
                                   quote(reference(item, "runnable"))));
        }
        const XmlElement* inner = graph_of(*known->second);
        if (inner != nullptr) walk(*inner, units, known->first, pieces, depth + 1);
      } else if (type == "InterProcessTrigger") {
        trigger(item, pieces, depth);
      } else if (type == "Group" || item.name == "entries" || item.name == "defaultEntry") {
        walk(item, units, owner, pieces, depth + 1);
      } else if (type.ends_with("Switch")) {
        ++left_out_["switches (all their branches are counted)"];
        walk(item, units, owner, pieces, depth + 1);
      } else if (type == "LabelAccess" || type == "ChannelSend" || type == "ChannelReceive") {
        ++left_out_["accesses to labels and channels (their time is not counted)"];
      } else if (type == "ExecutionNeed" || type == "RunnableInstructions") {
        refuse(item, fmt::format("{} of an early version of AMALTHEA: let APP4MC convert the model "
                                 "to 0.9.3 or later, which has ticks",
                                 quote(type)));
      } else if (!type.empty() && type != "WaitEvent" && type != "SetEvent" &&
                 type != "ClearEvent") {
        ++left_out_[fmt::format("items of type {}", printable_type(type))];
      }
    }
  }

  static std::string printable_type(std::string_view type) { return clean_name(type); }

  void add_ticks(const XmlElement& item, const std::vector<const Unit*>& units,
                 const std::string& owner, std::vector<Piece>& pieces) {
    Piece piece{clean_name(owner), units.front()->element, Time::max(), Time()};
    for (const Unit* unit : units) {  // the slowest that it may run on
      const auto ticks = ticks_for(item, unit->definition);
      if (!ticks) {
        refuse(item, fmt::format("{} has no ticks for {}, on which its task may run", quote(owner),
                                 quote(unit->definition)));
      }
      piece.upper = std::max(piece.upper, time_of(ticks->upper, unit->hertz, Rounding::kUp));
      piece.lower = std::min(piece.lower, time_of(ticks->lower, unit->hertz, Rounding::kDown));
    }
    if (piece.upper > Time()) pieces.push_back(std::move(piece));
  }

  /// A task of a GPU comes in here; one of a CPU is told later.
  void trigger(const XmlElement& item, std::vector<Piece>& pieces, int depth) {
    const std::string stimulus = reference(item, "stimulus");
    for (const auto& [name, task] : tasks_in_order_) {
      const auto by = references(*task, "stimuli");
      if (std::find(by.begin(), by.end(), stimulus) == by.end()) continue;
      if (!inlined_.contains(name)) {
        triggered_[name] = current_;
        continue;
      }
      host_[name] = current_;
      if (const XmlElement* inner = graph_of(*task)) {
        walk(*inner, units_for(name), name, pieces, depth + 1);
      }
    }
  }

  void add_task(const std::string& name, const XmlElement& element) {
    Task task;
    task.name = names_.make(clean_name(name));
    task.at = element.at;
    const auto units = units_for(name);
    if (units.size() == 1) {
      task.core = units.front()->core;
    } else {
      note("task {} may run on {} cores, so it has none of its own", quote(name), units.size());
    }
    if (const auto priority = priorities_.find(name); priority != priorities_.end()) {
      task.priority = priority->second;
    }
    std::vector<Piece> pieces;
    current_ = name;
    if (const XmlElement* graph = graph_of(element)) walk(*graph, units, name, pieces, 0);
    if (pieces.empty()) {
      note("task {} has no ticks; it is left out", quote(name));
      return;
    }
    add_nodes(pieces, task);
    add_stimuli(element, task);
    index_of_[name] = static_cast<TaskIndex>(draft_.system.tasks.size());
    draft_.system.tasks.push_back(std::move(task));
  }

  /// A chain. Folded, what follows each other on the CPU is one node.
  void add_nodes(const std::vector<Piece>& pieces, Task& task) const {
    UniqueNames names;
    std::size_t together = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
      const bool goes_on = options_.fold != Fold::kNone && i > 0 && pieces[i - 1].on == piece.on &&
                           draft_.system.platform.elements[piece.on].kind == ElementKind::kCpu;
      if (goes_on) {
        Node& last = task.nodes.back();
        last.wcet = *last.wcet + piece.upper;
        last.bcet += piece.lower;
        if (++together == 1) last.name = names.make("runnables");
        continue;
      }
      together = 0;
      Node node;
      node.name = names.make(piece.name);
      node.on = piece.on;
      node.wcet = piece.upper;
      node.bcet = piece.lower;
      task.nodes.push_back(std::move(node));
    }
    task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  }

  void add_stimuli(const XmlElement& element, Task& task) {
    for (const std::string& name : references(element, "stimuli")) {
      const auto known = stimuli_.find(name);
      if (known == stimuli_.end()) {
        note("task {}: its stimulus {} is not in this file", quote(task.name), quote(name));
        continue;
      }
      const XmlElement& stimulus = *known->second;
      const std::string_view type = type_of(stimulus);
      std::optional<Time> period;
      if (type == "PeriodicStimulus") {
        period = time(stimulus.find("recurrence"), Rounding::kDown);
        task.offset = time(stimulus.find("offset"), Rounding::kDown).value_or(Time());
        if (const XmlElement* jitter = stimulus.find("jitter")) task.jitter = longest(*jitter);
      } else if (type == "SporadicStimulus" || type == "RelativePeriodicStimulus") {
        for (const char* key : {"occurrence", "nextOccurrence"}) {
          if (const XmlElement* next = stimulus.find(key)) {
            period = time(next->find("lowerBound"), Rounding::kDown);
          }
        }
      } else if (type != "InterProcessStimulus") {
        ++left_out_[fmt::format("stimuli of type {}", printable_type(type))];
      }
      if (!period) continue;
      if (task.period) {
        note("task {} has several stimuli; only the first is taken", quote(task.name));
        continue;
      }
      task.period = period;
    }
    if (const auto asked = options_.periods.find(task.name); asked != options_.periods.end()) {
      task.period = asked->second;
    }
  }

  Time longest(const XmlElement& distribution) const {
    if (const auto upper = time(distribution.find("upperBound"), Rounding::kUp)) return *upper;
    refuse(distribution, "this jitter has no `upperBound`");
  }

  /// A task that another one triggers has its period; if all that it does comes before, it is after it.
  void read_triggers() {
    for (const auto& [name, by] : triggered_) {
      const auto own = index_of_.find(name), host = index_of_.find(host_of(by));
      if (own == index_of_.end() || host == index_of_.end() || own == host) continue;
      Task& task = draft_.system.tasks[own->second];
      if (task.period) continue;
      task.after = host->second;
      note(
          "task {} is released at the end of {}, which triggers it: earlier, if that goes on "
          "after the trigger",
          quote(name), quote(by));
    }
    follow_periods(draft_.system);
    for (const Task& task : draft_.system.tasks) {
      if (!task.period) note("task {} has no period; --period gives it one", quote(task.name));
    }
  }

  /// The task that a task of a GPU is part of; any other name stays.
  const std::string& host_of(const std::string& name) const {
    const auto host = host_.find(name);
    return host == host_.end() ? name : host->second;
  }

  // Requirements and chains

  void read_requirements() {
    for (const XmlElement* one : in("constraintsModel", "requirements")) {
      const XmlElement* limit = one->find("limit");
      const auto task = index_of_.find(host_of(reference(*one, "process")));
      const bool response = limit != nullptr && (*limit)["metric"] == "ResponseTime" &&
                            (*limit)["limitType"] == "UpperLimit";
      if (!response || task == index_of_.end()) {
        ++left_out_["requirements that are no longest response time of a task"];
        continue;
      }
      draft_.system.tasks[task->second].deadline = time(limit->find("limitValue"), Rounding::kDown);
    }
    for (Task& task : draft_.system.tasks) {
      for (const char* key : {"", task.name.c_str()}) {
        const auto asked = options_.deadlines.find(key);
        if (asked != options_.deadlines.end()) task.deadline = asked->second;
      }
    }
  }

  void read_chains() {
    std::map<std::string, const XmlElement*> chains;
    for (const XmlElement* one : in("constraintsModel", "eventChains"))
      chains[(*one)["name"]] = one;
    std::map<std::string, std::pair<std::optional<Time>, std::optional<Time>>> limits;
    for (const XmlElement* one : in("constraintsModel", "timingConstraints")) {
      const auto most = time(one->find("maximum"), Rounding::kDown);
      if (type_of(*one) != "EventChainLatencyConstraint" || !most) {
        ++left_out_["timing constraints that are no latency of an event chain"];
        continue;
      }
      auto& [reaction, age] = limits[reference(*one, "scope")];
      ((*one)["type"] == "Age" || (*one)["latencyType"] == "Age" ? age : reaction) = most;
    }
    UniqueNames names;
    for (const auto& [name, element] : chains) {
      Chain chain;
      chain.name = names.make(clean_name(name));
      chain.at = element->at;
      add_events(*element, chains, chain.tasks, 0);
      const auto last = std::unique(chain.tasks.begin(), chain.tasks.end());
      chain.tasks.erase(last, chain.tasks.end());
      std::set<TaskIndex> all(chain.tasks.begin(), chain.tasks.end());
      if (chain.tasks.size() < 2 || all.size() != chain.tasks.size()) {
        ++left_out_["event chains that do not lead from task to task"];
        continue;
      }
      if (const auto limit = limits.find(name); limit != limits.end()) {
        std::tie(chain.reaction, chain.age) = limit->second;
      }
      draft_.system.chains.push_back(std::move(chain));
    }
  }

  void add_events(const XmlElement& chain, const std::map<std::string, const XmlElement*>& chains,
                  std::vector<TaskIndex>& tasks, int depth) {
    constexpr int kDeepest = 40;
    constexpr std::size_t kMost = 100'000;
    if (depth > kDeepest || tasks.size() > kMost) {
      refuse(chain, "this event chain is too long, or a part of itself");
    }
    add_event(reference(chain, "stimulus"), tasks);
    for (const XmlElement& part : chain.children) {
      if (part.name == "strands") ++left_out_["parallel strands of event chains"];
      if (part.name != "segments" && part.name != "items") continue;
      if (const XmlElement* inner = part.find("eventChain")) {
        add_events(*inner, chains, tasks, depth + 1);
      } else if (const auto known = chains.find(reference(part, "eventChain"));
                 known != chains.end()) {
        add_events(*known->second, chains, tasks, depth + 1);
      }
    }
    add_event(reference(chain, "response"), tasks);
  }

  /// An event of a task, or of a runnable, which stands for the tasks that call it.
  void add_event(const std::string& name, std::vector<TaskIndex>& tasks) {
    const auto event = events_.find(name);
    if (event == events_.end()) return;
    const std::string entity = reference(*event->second, "entity");
    auto task = index_of_.find(host_of(entity));
    if (task == index_of_.end() && runnables_.contains(entity)) {
      for (const auto& [caller, element] : tasks_in_order_) {
        const XmlElement* graph = graph_of(*element);
        if (graph != nullptr && calls(*graph, entity, 0)) task = index_of_.find(host_of(caller));
        if (task != index_of_.end()) break;
      }
    }
    if (task == index_of_.end()) {
      ++left_out_["events that are of no task"];
    } else if (tasks.empty() || tasks.back() != task->second) {
      tasks.push_back(task->second);
    }
  }

  static bool calls(const XmlElement& graph, const std::string& runnable, int depth) {
    return std::any_of(graph.children.begin(), graph.children.end(), [&](const XmlElement& item) {
      return (type_of(item) == "RunnableCall" && reference(item, "runnable") == runnable) ||
             (depth < 20 && calls(item, runnable, depth + 1));
    });
  }

  void leave_out_equal_priorities() {
    std::set<std::int64_t> seen;
    const bool all_differ = std::all_of(
        draft_.system.tasks.begin(), draft_.system.tasks.end(),
        [&](const Task& task) { return !task.priority || seen.insert(*task.priority).second; });
    if (all_differ) return;
    for (Task& task : draft_.system.tasks) task.priority.reset();
    note("priorities are left out: tasks have the same one");
  }

  void tell() {
    for (const std::string& name : inlined_) {
      const auto host = host_.find(name);
      if (host == host_.end()) {
        note("task {} of a GPU is left out, because no task triggers it", quote(name));
      } else {
        note("task {} of a GPU is part of {}, which triggers it and waits for it", quote(name),
             quote(host->second));
      }
    }
    std::string units;
    for (const std::string& name : units_in_order_) {
      const Unit& unit = units_.at(name);
      if (!unit.gpu) units += fmt::format("{}{} {}", units.empty() ? "" : ", ", unit.core, name);
    }
    note("cores: {}", clean_name(units));
    note(
        "times are the bounds of the model, divided by the frequency of the unit, without a "
        "margin; "
        "what memory and the scheduler cost is not in them");
    for (const auto& [what, count] : left_out_) note("left out: {} {}", count, what);
  }

  static constexpr std::size_t kMostItems = 1'000'000;

  const XmlElement& root_;
  const ImportOptions& options_;
  Draft draft_;
  UniqueNames names_;
  std::vector<std::pair<std::string, const XmlElement*>> tasks_in_order_;
  std::map<std::string, const XmlElement*> runnables_, stimuli_, events_;
  std::map<std::string, Unit> units_;
  std::vector<std::string> units_in_order_;
  std::map<std::string, std::vector<std::string>> mapped_;  ///< by task
  std::map<std::string, std::int64_t> priorities_;
  std::set<std::string> inlined_;                 ///< tasks of a GPU
  std::map<std::string, std::string> host_;       ///< of those: who triggers them
  std::map<std::string, std::string> triggered_;  ///< tasks of a CPU, and who triggers them
  std::map<std::string, TaskIndex> index_of_;
  std::map<std::string, std::size_t> left_out_;
  std::string current_;  ///< the task whose pieces are gathered
  std::size_t walked_ = 0;
};

}  // namespace

Draft import_amalthea(Source& source, const ImportOptions& options) {
  constexpr std::size_t kMostModel = std::size_t{64} << 20;  // it is held as a tree
  const auto text = all_of(source.bytes(), kMostModel);
  if (!text) return Draft::bad(text.error().message);
  const auto parsed = parse_xml(*text);
  if (!parsed) return {{}, {}, {parsed.error()}, {}};
  const XmlElement& root = *parsed;
  if (root.name != "Amalthea") return Draft::bad("there is no <Amalthea> in it", root.at);
  try {
    return AmaltheaReader(root, options).read();
  } catch (const Refused& refused) {
    return {{}, {}, {refused.problem}, {}};
  }
}

}  // namespace tactus::exchange
