#include "tactus/methods/dag/dag_plan.hpp"

#include <array>

#include "tactus/model/written.hpp"

namespace tactus {

using namespace codec;  // the words of the tables
using dag::DagPlan, dag::Kernel, dag::Segments, dag::Step;

namespace {

/// Above this many pairs a plan lists no `edges`; its `barriers` say the same.
constexpr std::size_t kMaxListedEdges = 1'000'000;

struct Launch {
  const Task& task;
  const Kernel& kernel;
};
using Launches = std::vector<Launch>;

/// A kernel as [node, segment].
struct Reference {
  static void write(json::Writer& out, const System&, const Launch& launch) {
    out.begin_array().string(launch.task.nodes[launch.kernel.node].name);
    out.integer(launch.kernel.segment).end_array();
  }
  static void describe(json::Writer& out) {
    out.key("type").string("array").key("items").begin_object();
    out.key("type").begin_array().string("string").string("integer").end_array().end_object();
  }
};

Launches launches(const Task& task, std::span<const Kernel> kernels) {
  Launches all;
  for (const Kernel& kernel : kernels) all.push_back({task, kernel});
  return all;
}

const Task& task_of(const System& system, const DagPlan& plan) { return system.tasks[plan.task]; }

struct StepRow {
  Time r;
  Launches primary, launched;
  std::int64_t spare;
};

std::vector<StepRow> steps_of(const System& system, const DagPlan& plan) {
  const Task& task = task_of(system, plan);
  std::vector<StepRow> rows;
  for (const Step& step : plan.schedule.steps) {
    rows.push_back({step.r, launches(task, plan.schedule.primary(step)),
                    launches(task, plan.schedule.launched(step)), step.spare});
  }
  return rows;
}

std::vector<std::pair<std::string_view, std::vector<Time>>> segments_of(const System& system,
                                                                        const DagPlan& plan) {
  const Task& task = task_of(system, plan);
  const Segments segments(task.graph.size(), plan.schedule);
  std::vector<std::pair<std::string_view, std::vector<Time>>> all;
  for (NodeIndex node = 0; node < task.nodes.size(); ++node) {
    auto& loads = all.emplace_back(task.nodes[node].name, std::vector<Time>()).second;
    for (const std::uint32_t place : segments.of(node)) {
      loads.push_back(plan.schedule.kernels[place].load);
    }
  }
  return all;
}

std::size_t barrier_pairs(const dag::Schedule& schedule) {
  std::size_t pairs = 0;
  for (std::size_t j = 1; j < schedule.steps.size(); ++j) {
    pairs += schedule.all(schedule.steps[j - 1]).size() * schedule.all(schedule.steps[j]).size();
  }
  return pairs;
}

struct ExtraEdge {
  Launch from, to;
};

std::optional<std::vector<ExtraEdge>> edges_of(const System& system, const DagPlan& plan) {
  if (plan.ordering == dag::Ordering::kBarriers && barrier_pairs(plan.schedule) > kMaxListedEdges) {
    return std::nullopt;
  }
  const Task& task = task_of(system, plan);
  const auto& kernels = plan.schedule.kernels;
  const Segments segments(task.graph.size(), plan.schedule);
  std::vector<ExtraEdge> edges;
  for (const auto& [from, to] : extra_edges(task.graph, plan.schedule, segments, plan.ordering)) {
    edges.push_back({{task, kernels[from]}, {task, kernels[to]}});
  }
  return edges;
}

/// The same as edges, as one empty node between two steps of a CUDA graph.
struct Barrier {
  Launches after, before;
};

std::vector<Barrier> barriers_of(const System& system, const DagPlan& plan) {
  std::vector<Barrier> barriers;
  if (plan.ordering != dag::Ordering::kBarriers) return barriers;
  const Task& task = task_of(system, plan);
  const auto& steps = plan.schedule.steps;
  for (std::size_t j = 1; j < steps.size(); ++j) {
    barriers.push_back({launches(task, plan.schedule.all(steps[j - 1])),
                        launches(task, plan.schedule.all(steps[j]))});
  }
  return barriers;
}

}  // namespace

template <>
std::span<const Field<Launch>> fields<Launch>() {
  static constexpr auto kTable = std::to_array<Field<Launch>>({
      always<Line>(
          "node", "Its name",
          [](const Launch& l) { return std::string_view(l.task.nodes[l.kernel.node].name); }),
      always<Number>("segment", "From 1", [](const Launch& l) { return l.kernel.segment; }),
      always<TimeSeen>("load", "SMs x time", [](const Launch& l) { return l.kernel.load; }),
      always<Number>("m", "SMs", [](const Launch& l) { return l.kernel.m; }),
      always<TimeSeen>("c", "How long it takes", [](const Launch& l) { return l.kernel.c; }),
  });
  return kTable;
}

template <>
std::span<const Field<StepRow>> fields<StepRow>() {
  static constexpr auto kTable = std::to_array<Field<StepRow>>({
      always<&StepRow::r, TimeSeen>("r", "How long it takes"),
      always<&StepRow::primary, Objects<Launch, "kernel">>("primary", "The kernels it was made of"),
      always<&StepRow::launched, Objects<Launch, "kernel">>("launched", "Those on its spare SMs"),
      always<&StepRow::spare, AnyInteger>("spare", "SMs left over"),
  });
  return kTable;
}

template <>
std::span<const Field<ExtraEdge>> fields<ExtraEdge>() {
  static constexpr auto kTable = std::to_array<Field<ExtraEdge>>({
      always<&ExtraEdge::from, Reference>("from", "Node and segment"),
      always<&ExtraEdge::to, Reference>("to", "Node and segment"),
  });
  return kTable;
}

template <>
std::span<const Field<Barrier>> fields<Barrier>() {
  static constexpr auto kTable = std::to_array<Field<Barrier>>({
      always<&Barrier::after, List<Reference>>("after", "All of a step"),
      always<&Barrier::before, List<Reference>>("before", "All of the next"),
  });
  return kTable;
}

template <>
std::span<const Field<DagPlan>> fields<DagPlan>() {
  static constexpr auto kTable = std::to_array<Field<DagPlan>>({
      always<&DagPlan::task, TaskName>("task", "The task whose graph is planned"),
      always<TimeSeen>("bound", "Of its response time",
                       [](const DagPlan& plan) { return plan.schedule.bound; }),
      always<&DagPlan::deadline, OrNull<TimeSeen>>("deadline", "Null: it has none"),
      where_known<Flag>("schedulable", "Is the bound within the deadline?",
                        [](const DagPlan& plan) {
                          return plan.deadline
                                     ? std::optional(plan.schedule.bound <= *plan.deadline)
                                     : std::nullopt;
                        }),
      always<Number>("cuts", "How many nodes were cut",
                     [](const System& system, const DagPlan& plan) { return plan.cuts(system); }),
      always<steps_of, Objects<StepRow, "step">>("steps", "One after another"),
      always<segments_of, ByName<List<TimeSeen>>>("segments", "By node: the loads of its segments"),
      always<edges_of, OrNull<List<Object<ExtraEdge>>>>(
          "edges", "What the plan adds to the graph; null: more than a million, see the barriers"),
      always<barriers_of, Objects<Barrier, "barrier">>("barriers", "Between steps"),
  });
  return kTable;
}

namespace dag {

std::string DagPlan::kernel_name(const System& system, const Segments& segments,
                                 std::uint32_t place) const {
  const Kernel& kernel = schedule.kernels[place];
  const std::string& name = system.tasks[task].nodes[kernel.node].name;
  return segments.is_cut(kernel.node) ? name + "." + std::to_string(kernel.segment) : name;
}

void DagPlan::write_fields(json::Writer& out, const System& system) const {
  write_members(out, system, *this);
}
std::vector<Described> plan_keys() { return described<DagPlan>(); }

}  // namespace dag
}  // namespace tactus
