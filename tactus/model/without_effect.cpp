#include "tactus/model/without_effect.hpp"

#include <fmt/core.h>

#include "tactus/model/codec.hpp"

namespace tactus {
namespace {

/// An attribute, and whether an object in memory has it.
template <typename Owner>
struct Attribute {
  std::string_view key;
  bool (*given)(const Owner&);
};

template <auto kMember, typename Owner>
bool is_given(const Owner& owner) {
  if constexpr (requires { (owner.*kMember).has_value(); }) {
    return (owner.*kMember).has_value();
  } else {
    return owner.*kMember != Time();
  }
}

/// Of best-effort tasks: what only a task with a deadline has a use for.
constexpr Attribute<Task> kRealTimeOnly[] = {
    // A task that was checked has the period for a deadline.
    {"deadline", [](const Task& task) { return task.deadline && task.deadline != task.period; }},
    {"priority", is_given<&Task::priority, Task>},
    {"gpu_priority", is_given<&Task::gpu_priority, Task>},
};
constexpr Attribute<Node> kRealTimeNodeOnly[] = {
    {"gpu_threshold", is_given<&Node::gpu_threshold, Node>},
};

/// Of a gpu element, and of no other.
constexpr Attribute<Element> kGpuOnly[] = {
    {"sm", is_given<&Element::sm, Element>},
    {"t_min", is_given<&Element::t_min, Element>},
    {"time_slice", is_given<&Element::time_slice, Element>},
    {"context_switch", is_given<&Element::context_switch, Element>},
    {"runlist_update", is_given<&Element::runlist_update, Element>},
    {"preemption_delay", is_given<&Element::preemption_delay, Element>},
    {"preempt_cost", is_given<&Element::preempt_cost, Element>},
    {"resume_cost", is_given<&Element::resume_cost, Element>},
    {"start_cost", is_given<&Element::start_cost, Element>},
    {"arbiter_core", is_given<&Element::arbiter_core, Element>},
};

/// Of a kernel that is told by its `load`.
constexpr Attribute<Node> kWithLoadOnly[] = {
    {"load_min", is_given<&Node::load_min, Node>},
    {"overhead", is_given<&Node::overhead, Node>},
    {"interleave", is_given<&Node::interleave, Node>},
};

/// Of a node on a gpu, and of no other.
constexpr Attribute<Node> kGpuNodeOnly[] = {
    {"interleave", is_given<&Node::interleave, Node>},
    {"slowdown", is_given<&Node::slowdown, Node>},
    {"blocks", is_given<&Node::blocks, Node>},
    {"registers", is_given<&Node::registers, Node>},
    {"shared_memory", is_given<&Node::shared_memory, Node>},
};

template <typename Owner, std::size_t kCount>
void warn(const Origin& origin, ReadContext& context, const Owner& owner,
          const Attribute<Owner> (&attributes)[kCount], std::string_view why) {
  for (const Attribute<Owner>& attribute : attributes) {
    if (!origin.usable(attribute.key, attribute.given(owner))) continue;
    context.warn(origin.at(attribute.key),
                 fmt::format("`{}` has no effect: {}", attribute.key, why));
  }
}

}  // namespace

void warn_without_effect(const Origin& origin, ReadContext& context, const Element& element) {
  if (element.kind == ElementKind::kGpu) return;
  warn(origin, context, element, kGpuOnly, "the element is no gpu");
}

void warn_without_effect(const Origin& origin, ReadContext& context, const Task& task) {
  if (!task.best_effort || context.failed()) return;
  constexpr std::string_view kWhy = "the task is best effort";
  warn(origin, context, task, kRealTimeOnly, kWhy);
  for (NodeIndex k = 0; k < task.nodes.size(); ++k) {
    const Origin inner = origin.item("nodes", k, task.nodes[k].at);
    const ReadContext::Scope in_node(context, "node", k, inner.name(task.nodes[k].name));
    warn(inner, context, task.nodes[k], kRealTimeNodeOnly, kWhy);
  }
}

void warn_without_effect(const Origin& origin, ReadContext& context, const Node& node) {
  const ElementKind kind = context.facts[node.on].kind;
  if (kind == ElementKind::kGpu && !origin.written("load", node.load.has_value()) &&
      node.times.empty()) {
    warn(origin, context, node, kWithLoadOnly, "the node has no `load`");
  }
  if (kind != ElementKind::kGpu) {
    warn(origin, context, node, kGpuNodeOnly, "the node is not on a gpu");
  }
  if (kind == ElementKind::kCpu) {
    warn(origin, context, node, kRealTimeNodeOnly, "the node is on a cpu");
  }
}

void warn_of_unlikely_unit(const Origin& origin, ReadContext& context, const System& system) {
  // The fastest loops that computers close, those of motor currents, take 25 us.
  constexpr Time kShortest = Time::from_us(20);
  if (system.time_unit == TimeUnit::kUnit) return;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (!task.period || *task.period >= kShortest) continue;
    const Origin item = origin.item("tasks", i, task.at);
    const ReadContext::Scope scope(context, "task", i, item.name(task.name));
    const auto unit = static_cast<std::size_t>(system.time_unit);
    context.warn(item.at("period"), fmt::format("period {} {}; is `time_unit` right?",
                                                format_time(*task.period, system.time_unit),
                                                codec::words_of<TimeUnit>()[unit]));
    return;
  }
}

}  // namespace tactus
