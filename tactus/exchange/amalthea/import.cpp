#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/amalthea/chains.hpp"
#include "tactus/exchange/amalthea/times.hpp"
#include "tactus/exchange/amalthea/units.hpp"
#include "tactus/exchange/amalthea/work.hpp"
#include "tactus/exchange/equal_priorities.hpp"
#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/source.hpp"
#include "tactus/model/paths.hpp"

namespace tactus::exchange {
namespace amalthea {
namespace {

class Reader {
 public:
  Reader(const XmlElement& root, const ImportOptions& options)
      : model_(root),
        options_(options),
        units_(model_, options, draft_.system.platform, told_),
        work_(model_, units_, told_) {}

  Draft read() {
    draft_.system.name = clean_name(options_.name);
    draft_.system.time_unit = options_.time_unit;
    if (model_.interrupts > 0) told_.left_out["interrupts"] = model_.interrupts;
    for (const auto& [name, task] : model_.tasks) {
      if (!units_.tasks_on_gpu().contains(name)) add_task(name, *task);
    }
    if (draft_.system.tasks.empty()) refuse(model_.root, "the model has no tasks (swModel)");
    read_triggers();
    read_requirements();
    draft_.system.chains = chains_of(
        model_, [this](const std::string& name) { return task_of(name); }, told_);
    if (leave_out_equal_priorities(draft_.system))
      told_.note("priorities are left out: tasks have the same one");
    tell();
    draft_.notes = std::move(told_.notes);
    return std::move(draft_);
  }

 private:
  /// The task of the file that a task is, or is a part of.
  std::optional<TaskIndex> task_of(const std::string& name) const {
    const std::string* host = work_.host_of(name);
    const auto known = index_of_.find(host == nullptr ? name : *host);
    return known == index_of_.end() ? std::nullopt : std::optional(known->second);
  }

  void add_task(const std::string& name, const XmlElement& element) {
    Task task;
    task.name = names_.make(clean_name(name));
    task.at = element.at;
    const auto units = units_.of(name);
    if (units.size() == 1) {
      task.core = units.front()->core;
    } else {
      told_.note("task {} may run on {} cores, so it has none of its own", quote(name),
                 units.size());
    }
    task.priority = units_.priority_of(name);
    const std::vector<Piece> pieces = work_.of(name, element);
    if (pieces.empty()) {
      told_.note("task {} has no ticks; it is left out", quote(name));
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
      const auto known = model_.stimuli.find(name);
      if (known == model_.stimuli.end()) {
        told_.note("task {}: its stimulus {} is not in this file", quote(task.name), quote(name));
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
        ++told_.left_out[fmt::format("stimuli of type {}", clean_name(type))];
      }
      if (!period) continue;
      if (task.period) {
        told_.note("task {} has several stimuli; only the first is taken", quote(task.name));
        continue;
      }
      task.period = period;
    }
    if (const auto asked = options_.periods.find(task.name); asked != options_.periods.end()) {
      task.period = asked->second;
    }
  }

  /// A task that another one triggers has its period; if all that it does comes before, it is after it.
  void read_triggers() {
    for (const auto& [name, by] : work_.triggered()) {
      const auto own = index_of_.find(name);
      const auto host = task_of(by);
      if (own == index_of_.end() || !host || own->second == *host) continue;
      Task& task = draft_.system.tasks[own->second];
      if (task.period) continue;
      task.after = host;
      told_.note(
          "task {} is released at the end of {}, which triggers it: earlier, if that goes on "
          "after the trigger",
          quote(name), quote(by));
    }
    follow_periods(draft_.system);
    for (const Task& task : draft_.system.tasks) {
      if (!task.period)
        told_.note("task {} has no period; --period gives it one", quote(task.name));
    }
  }

  void read_requirements() {
    for (const XmlElement* one : model_.in("constraintsModel", "requirements")) {
      const XmlElement* limit = one->find("limit");
      const auto task = task_of(reference(*one, "process"));
      const bool response = limit != nullptr && (*limit)["metric"] == "ResponseTime" &&
                            (*limit)["limitType"] == "UpperLimit";
      if (!response || !task) {
        ++told_.left_out["requirements that are no longest response time of a task"];
        continue;
      }
      draft_.system.tasks[*task].deadline = time(limit->find("limitValue"), Rounding::kDown);
    }
    for (Task& task : draft_.system.tasks) {
      for (const char* key : {"", task.name.c_str()}) {
        const auto asked = options_.deadlines.find(key);
        if (asked != options_.deadlines.end()) task.deadline = asked->second;
      }
    }
  }

  void tell() {
    for (const std::string& name : units_.tasks_on_gpu()) {
      const std::string* host = work_.host_of(name);
      if (host == nullptr) {
        told_.note("task {} of a GPU is left out, because no task triggers it", quote(name));
      } else {
        told_.note("task {} of a GPU is part of {}, which triggers it and waits for it",
                   quote(name), quote(*host));
      }
    }
    told_.note("cores: {}", clean_name(units_.cores()));
    told_.note(
        "times are the bounds of the model, divided by the frequency of the unit, without a "
        "margin; "
        "what memory and the scheduler cost is not in them");
    for (const auto& [what, count] : told_.left_out) told_.note("left out: {} {}", count, what);
  }

  Draft draft_;
  Told told_;
  const Model model_;
  const ImportOptions& options_;
  const Units units_;
  Work work_;
  UniqueNames names_;
  std::map<std::string, TaskIndex> index_of_;
};

}  // namespace
}  // namespace amalthea

Draft import_amalthea(Source& source, const ImportOptions& options) {
  const auto text = all_of(source.bytes());
  if (!text) return Draft::bad(text.error().message);
  const auto parsed = parse_xml(*text);
  if (!parsed) return {{}, {}, {parsed.error()}, {}};
  const XmlElement& root = *parsed;
  if (root.name != "Amalthea") return Draft::bad("there is no <Amalthea> in it", root.at);
  try {
    return amalthea::Reader(root, options).read();
  } catch (const amalthea::Refused& refused) {
    return {{}, {}, {refused.problem}, {}};
  }
}

}  // namespace tactus::exchange
