#include "tactus/model/format.hpp"

#include <array>

#include "tactus/model/codec.hpp"
#include "tactus/model/command_codec.hpp"
#include "tactus/model/edges.hpp"
#include "tactus/model/whole_document.hpp"

namespace tactus {

namespace codec {

template <>
std::span<const std::string_view> words_of<TimeUnit>() {
  static constexpr std::string_view kWords[] = {"ns", "us", "ms", "s", "unit"};
  return kWords;
}
template <>
std::span<const std::string_view> words_of<ElementKind>() {
  static constexpr std::string_view kWords[] = {"cpu", "copy", "gpu"};
  return kWords;
}
template <>
std::span<const std::string_view> words_of<CopySharing>() {
  static constexpr std::string_view kWords[] = {"exclusive", "shared"};
  return kWords;
}
template <>
std::span<const std::string_view> words_of<WaitMode>() {
  static constexpr std::string_view kWords[] = {"suspend", "busy"};
  return kWords;
}
template <>
std::span<const std::string_view> words_of<InterferenceModel>() {
  static constexpr std::string_view kWords[] = {"table", "slowdown", "none"};
  return kWords;
}
template <>
std::span<const std::string_view> words_of<Chain::Phases>() {
  static constexpr std::string_view kWords[] = {"any", "fixed"};
  return kWords;
}

namespace {

/// The time unit, which everything read after it needs.
struct Unit : Word<TimeUnit> {
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   TimeUnit& out) {
    if (!Word::read(value, key, context, out)) return false;
    context.time_unit = out;
    return true;
  }
};

/// A time that has no default, so that 0 is written too.
struct RequiredUpperTime : UpperTime {
  static constexpr bool kAlwaysWritten = true;
};

/// The measured curve: at least one point.
struct Curve : Objects<TimesEntry, "time"> {
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::vector<TimesEntry>& out) {
    if (!Objects::read(value, key, context, out)) return false;
    if (out.empty()) context.error(value, "`times` needs at least one entry");
    return !out.empty();
  }
  static void describe(json::Writer& out) {
    out.key("minItems").integer(1);
    Objects::describe(out);
  }
};

/// A reference to an element by name.
struct ElementRef {
  static constexpr bool kAlwaysWritten = true;
  static bool read(const json::Value& value, std::string_view, ReadContext& context,
                   ElementIndex& out) {
    return read_reference(value, context, context.elements, "element", out);
  }
  static bool check(ElementIndex element, std::string_view, ReadContext& context, Position at) {
    return check_index(element, context.system->platform.elements.size(), "element", context, at);
  }
  static void write(json::Writer& out, const System& system, ElementIndex element) {
    out.string(system.platform.elements[element].name);
  }
  static void describe(json::Writer& out) { out.key("type").string("string"); }
};

/// References to tasks by name.
struct TaskRefs {
  static constexpr bool kAlwaysWritten = true;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::vector<TaskIndex>& out) {
    if (!value.is(json::Kind::kArray))
      return mismatch(value, key, context, "an array of task names");
    bool good = true;
    for (const json::Value& item : value.items()) {
      TaskIndex task = 0;
      if (read_reference(item, context, context.tasks, "task", task)) {
        out.push_back(task);
      } else {
        good = false;
      }
    }
    return good;
  }
  static bool check(const std::vector<TaskIndex>& tasks, std::string_view, ReadContext& context,
                    Position at) {
    bool good = true;
    for (TaskIndex task : tasks) {
      good = check_index(task, context.system->tasks.size(), "task", context, at) && good;
    }
    return good;
  }
  static void write(json::Writer& out, const System& system, const std::vector<TaskIndex>& tasks) {
    out.begin_array();
    for (TaskIndex task : tasks) out.string(system.tasks[task].name);
    out.end_array();
  }
  static void describe(json::Writer& out) {
    out.key("type").string("array");
    out.key("minItems").integer(1);
    out.key("uniqueItems").boolean(true);
    out.key("items").begin_object().key("type").string("string").end_object();
  }
};

}  // namespace
}  // namespace codec

using namespace codec;  // the tables below read like the format they describe

namespace {

/// Says of a file for a later version what the reason is.
constexpr Field<System> format_version() {
  auto plain = version_field<System, kFormatVersion>("tactus");
  plain.read = [](const json::Value& value, std::string_view key, ReadContext& context, System&) {
    std::int64_t version = 0;
    if (!read_integer(value, key, context, 1, codec::kMaxCount, version)) return false;
    if (version == kFormatVersion) return true;
    context.error(value,
                  fmt::format("unknown version {} of the format; this tactus reads version {}",
                              version, kFormatVersion));
    return false;
  };
  return plain;
}

/// Omitted where another task starts this one: then it is that of the first task of the path.
constexpr Field<Task> period_field() {
  auto plain = field<&Task::period, PositiveLowerTime>(
      "period", "Shortest time between two arrivals; omitted: arrives once");
  plain.write = [](json::Writer& out, std::string_view key, const System& system,
                   const Task& task) {
    if (!task.period) return;
    if (task.after && task.period == system.tasks[*task.after].period) return;
    PositiveLowerTime::write(out.key(key), system, *task.period);
  };
  return plain;
}

/// A task may come before the one that it names, so that the reader finds it when it has all
/// (check_pipelines.cpp).
constexpr Field<Task> kAfter = {
    "after",
    false,
    "Name of the task whose jobs start those of this one: job k when its job k completes",
    [](const json::Value& value, std::string_view, ReadContext& context, Task& task) {
      task.after.reset();
      if (!value.is(json::Kind::kString)) {
        context.error(value, fmt::format("expected the name of a task, got {}", shown(value)));
        return false;
      }
      if (context.tasks.entries().empty()) return true;  // not read yet
      TaskIndex found = 0;
      if (!read_reference(value, context, context.tasks, "task", found)) return false;
      task.after = found;
      return true;
    },
    [](json::Writer& out, std::string_view key, const System& system, const Task& task) {
      if (task.after) out.key(key).string(system.tasks[*task.after].name);
    },
    [](json::Writer& out) { out.key("type").string("string"); },
    [](std::string_view, ReadContext& context, Task& task, Position at) {
      return !task.after ||
             check_index(*task.after, context.system->tasks.size(), "task", context, at);
    },
};

/// Omitted if it equals the period, because the period is the default.
constexpr Field<Task> deadline_field() {
  auto plain = field<&Task::deadline, PositiveLowerTime>("deadline",
                                                         "Relative deadline; default: the period");
  plain.write = [](json::Writer& out, std::string_view key, const System& system,
                   const Task& task) {
    if (!task.deadline || task.deadline == task.period) return;
    PositiveLowerTime::write(out.key(key), system, *task.deadline);
  };
  return plain;
}

constexpr Field<Task> kEdges = {
    "edges",
    false,
    "Precedence as pairs of node names; omitted: the nodes form a chain in the listed order",
    [](const json::Value& value, std::string_view, ReadContext& context, Task& task) {
      // Without nodes, which has been told, `context.nodes` holds those of the task before.
      if (task.nodes.empty()) return false;
      const auto count = static_cast<NodeIndex>(task.nodes.size());
      if (read_edges(value, context, count, task.graph)) return true;
      task.graph = Graph(count, {});
      return false;
    },
    [](json::Writer& out, std::string_view key, const System&, const Task& task) {
      if (task.graph.is_listed_chain() || task.graph.size() == 0) return;
      out.key(key).begin_array();
      for (const auto& [from, to] : task.graph.edges()) {
        out.begin_array().string(task.nodes[from].name).string(task.nodes[to].name).end_array();
      }
      out.end_array();
    },
    [](json::Writer& out) {
      out.key("type").string("array");
      out.key("items").begin_object().key("type").string("array");
      out.key("minItems").integer(2).key("maxItems").integer(2);
      out.key("items").begin_object().key("type").string("string").end_object();
      out.end_object();
    },
    [](std::string_view, ReadContext& context, Task& task, Position at) {
      return check_edges(task, context, at);
    },
};

}  // namespace

template <>
std::span<const Field<System>> fields<System>() {
  static constexpr auto kTable = std::to_array<Field<System>>({
      schema_link<System>(),
      format_version(),
      field<&System::name, Text>("name", "Name of the system"),
      field<&System::note, Text>("note", "Free text for the reader"),
      field<&System::time_unit, Unit>(
          "time_unit", "Unit of every time in the file (default ms); `unit` is dimensionless"),
      field<&System::platform, Object<Platform>>("platform", "What the tasks run on", true),
      field<&System::tasks, Objects<Task, "task", &ReadContext::tasks>>(
          "tasks", "The tasks; file order breaks ties", true),
      field<&System::interference, Object<Interference>>(
          "interference", "How kernels that run together slow each other down"),
      field<&System::batches, Objects<Batch, "batch">>(
          "batches", "Measured completion times of kernels run together"),
      field<&System::chains, Objects<Chain, "chain">>(
          "chains", "Requirements from end to end, over tasks that hand on data"),
      field<&System::deploy, Object<Deploy>>(
          "deploy",
          "The method that is meant to run; `analyze` judges by it if no method is named"),
  });
  return kTable;
}

template <>
std::span<const Field<Platform>> fields<Platform>() {
  static constexpr auto kTable = std::to_array<Field<Platform>>({
      field<&Platform::elements, Objects<Element, "element", &ReadContext::elements>>(
          "elements", "Compute elements", true),
  });
  return kTable;
}

template <>
std::span<const Field<Element>> fields<Element>() {
  static constexpr auto kTable = std::to_array<Field<Element>>({
      field<&Element::name, Name>("name", "Unique among the elements", true),
      field<&Element::kind, Word<ElementKind>>(
          "kind", "cpu: cores; copy: a non-preemptive bus or copy engine; gpu: SMs", true),
      field<&Element::units, RequiredCount>("units", "Cores, engines or SMs", true),
      field<&Element::lanes, Count>("lanes", "Processors (threads) of one unit; default 1"),
      field<&Element::sm, Object<SmLimits>>("sm", "What one SM holds"),
      field<&Element::t_min, PositiveUpperTime>("t_min", "Shortest time of a malleable kernel"),
      field<&Element::time_slice, PositiveUpperTime>("time_slice",
                                                     "Round-robin slice of the driver, L"),
      field<&Element::context_switch, UpperTime>("context_switch", "GPU context switch, theta"),
      field<&Element::runlist_update, UpperTime>(
          "runlist_update",
          "One Begin or End request: call, scheduler, runlist swap, switch; epsilon"),
      field<&Element::preemption_delay, UpperTime>(
          "preemption_delay",
          "Longest time from the order to leave until the GPU is free of that work; default 0"),
      field<&Element::preempt_cost, UpperTime>(
          "preempt_cost",
          "Longest time from the decision to take a segment off the GPU until it is off"),
      field<&Element::resume_cost, UpperTime>(
          "resume_cost", "Longest time from the decision to put a segment back until it runs"),
      field<&Element::start_cost, UpperTime>(
          "start_cost", "Longest time from the decision to start a segment until it runs"),
      field<&Element::arbiter_core, Count>(
          "arbiter_core", "Core of the cpu element on which the arbiter runs, from 1"),
      field<&Element::sharing, Word<CopySharing>>(
          "sharing",
          "Of a copy element. exclusive (the default): one copy at a time on each unit, each to "
          "its "
          "end, whoever makes it; shared: copies run side by side, and their times were measured "
          "beside copying neighbours"),
  });
  return kTable;
}

template <>
std::span<const Field<SmLimits>> fields<SmLimits>() {
  static constexpr auto kTable = std::to_array<Field<SmLimits>>({
      field<&SmLimits::threads, Count>("threads", "Resident threads of one SM"),
      field<&SmLimits::blocks, Count>("blocks", "Resident blocks of one SM"),
      field<&SmLimits::registers, Count>("registers", "Registers of one SM"),
      field<&SmLimits::shared_memory, Count>("shared_memory", "Bytes of shared memory of one SM"),
  });
  return kTable;
}

template <>
std::span<const Field<Task>> fields<Task>() {
  static constexpr auto kTable = std::to_array<Field<Task>>({
      field<&Task::name, Name>("name", "Unique among the tasks", true),
      period_field(),
      deadline_field(),
      field<&Task::offset, LowerTime>("offset", "First arrival; default 0"),
      field<&Task::jitter, UpperTime>(
          "jitter", "Longest time from the arrival of a job to its release; default 0"),
      kAfter,
      field<&Task::priority, AnyInteger>(
          "priority", "CPU priority, larger is more urgent; unique among real-time tasks"),
      field<&Task::gpu_priority, AnyInteger>("gpu_priority", "GPU priority; default: `priority`"),
      field<&Task::core, Count>("core", "CPU core for partitioned methods, from 1"),
      field<&Task::wait, Word<WaitMode>>("wait", "What the CPU does during a GPU segment"),
      field<&Task::best_effort, Flag>("best_effort",
                                      "No deadline, below every real-time task on CPU and GPU"),
      field<&Task::command, Object<Command>>(
          "command", "How its program is started; `tactus deploy` writes it, no method reads it"),
      field<&Task::nodes, Objects<Node, "node", &ReadContext::nodes>>("nodes", "Its work", true),
      kEdges,
  });
  return kTable;
}

template <>
std::span<const Field<Node>> fields<Node>() {
  static constexpr auto kTable = std::to_array<Field<Node>>({
      field<&Node::name, Name>("name", "Unique within the task", true),
      field<&Node::on, ElementRef>("on", "The element it runs on", true),
      field<&Node::wcet, UpperTime>(
          "wcet",
          "Upper bound of its time with the whole element, or with `parallelism` units of it"),
      field<&Node::bcet, LowerTime>("bcet", "Lower bound of that time; default 0"),
      field<&Node::times, Curve>(
          "times", "Measured curve of a GPU node: bounds of its time per number of units"),
      field<&Node::parallelism, Count>(
          "parallelism",
          "Width of a rigid gang: in lanes if the element has several per unit, else in units"),
      field<&Node::load, UpperTime>("load", "Malleable kernel: upper bound of its time on ONE SM"),
      field<&Node::load_min, LowerTime>("load_min",
                                        "Malleable kernel: lower bound of its time on one SM"),
      field<&Node::overhead, UpperTime>(
          "overhead", "Part of a malleable kernel that does not speed up with SMs"),
      field<&Node::interleave, FactorValue>(
          "interleave", "Latency extension when the kernel interleaves with itself on virtual SMs"),
      field<&Node::slowdown, FactorValue>(
          "slowdown", "Factor on its time whenever it shares the GPU with another kernel"),
      field<&Node::launch, UpperTime>("launch",
                                      "CPU side of a GPU segment: launches, driver calls (G^m)"),
      field<&Node::overlap, LowerTime>(
          "overlap",
          "`launch` and its time together take at least this much less than their sum; default 0"),
      field<&Node::blocks, Count>("blocks", "Blocks of the grid"),
      field<&Node::threads, Count>("threads", "Threads of a block"),
      field<&Node::registers, Amount>("registers", "Registers of a thread"),
      field<&Node::shared_memory, Amount>("shared_memory", "Bytes of shared memory of a block"),
      field<&Node::gpu_threshold, AnyInteger>(
          "gpu_threshold",
          "GPU work is taken off only for tasks with a `gpu_priority` above this; default: own"),
      field<&Node::measured, Object<Measured>>(
          "measured", "Where its times come from; shown by reports, read by no method"),
  });
  return kTable;
}

template <>
std::span<const Field<TimesEntry>> fields<TimesEntry>() {
  static constexpr auto kTable = std::to_array<Field<TimesEntry>>({
      field<&TimesEntry::units, RequiredCount>("units",
                                               "Units of its own; rises from entry to entry", true),
      field<&TimesEntry::wcet, RequiredUpperTime>("wcet", "Upper bound of its time on them", true),
      field<&TimesEntry::bcet, LowerTime>("bcet", "Lower bound of its time on them; default 0"),
  });
  return kTable;
}

template <>
std::span<const Field<Measured>> fields<Measured>() {
  static constexpr auto kTable = std::to_array<Field<Measured>>({
      field<&Measured::runs, Count>("runs", "How often it was measured"),
      field<&Measured::alone, UpperTime>("alone", "The longest time seen without competition"),
      field<&Measured::worst, UpperTime>("worst", "The longest time seen beside the enemy"),
      field<&Measured::enemy, Text>("enemy", "What ran beside it"),
      field<&Measured::margin, MarginValue>("margin",
                                            "What was added to the longest: 0.1 is one tenth"),
      field<&Measured::on, Text>("on", "Machine and driver"),
      field<&Measured::date, Text>("date", "When"),
  });
  return kTable;
}

template <>
std::span<const Field<Deploy>> fields<Deploy>() {
  static constexpr auto kTable = std::to_array<Field<Deploy>>({
      field<&Deploy::method, Name>("method", "Id of a method, as `tactus methods` lists them",
                                   true),
      field<&Deploy::variant, Name>("variant",
                                    "Variant of the method; default: that of the method"),
  });
  return kTable;
}

template <>
std::span<const Field<Command>> fields<Command>() {
  static constexpr auto kTable = std::to_array<Field<Command>>({
      field<&Command::argv, Arguments>("argv", "The program and its arguments; no shell reads them",
                                       true),
      field<&Command::cwd, Name>("cwd", "The folder in which it starts"),
      field<&Command::env, Variables>("env", "Environment variables beyond what it inherits"),
      field<&Command::user, Name>("user", "The user who runs it"),
  });
  return kTable;
}

template <>
std::span<const Field<Interference>> fields<Interference>() {
  static constexpr auto kTable = std::to_array<Field<Interference>>({
      field<&Interference::model, Word<InterferenceModel>>(
          "model", "table: only listed batches; slowdown: by factors; none: one kernel at a time"),
      field<&Interference::factor, FactorValue>("factor",
                                                "Slowdown of kernels that have none of their own"),
  });
  return kTable;
}

template <>
std::span<const Field<Batch>> fields<Batch>() {
  static constexpr auto kTable = std::to_array<Field<Batch>>({
      field<&Batch::tasks, TaskRefs>("tasks", "Tasks whose kernels run together", true),
      field<&Batch::completion, UpperTime>("completion", "Completion time of the whole batch"),
      field<&Batch::ordered, Flag>("ordered", "Holds for the listed submission order only"),
      field<&Batch::forbid, Flag>("forbid", "Never run these together"),
  });
  return kTable;
}

template <>
std::span<const Field<Chain>> fields<Chain>() {
  static constexpr auto kTable = std::to_array<Field<Chain>>({
      field<&Chain::name, Name>("name", "Unique among the chains", true),
      field<&Chain::tasks, TaskRefs>("tasks", "From the sensor to the actuator, each once", true),
      field<&Chain::reaction, PositiveLowerTime>(
          "reaction", "Longest time from a change outside to the first output based on it"),
      field<&Chain::age, PositiveLowerTime>("age",
                                            "Greatest age of what an output in use is based on"),
      field<&Chain::phases, Word<Chain::Phases, false>>(
          "phases", "any (default), or fixed: offsets are kept at run time"),
  });
  return kTable;
}

}  // namespace tactus
