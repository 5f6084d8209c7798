#include <fmt/core.h>

#include <iterator>

#include "tactus/methods/dag/dag_plan.hpp"

/// A plan as a person sees it: tables, bars over time, a graph.
namespace tactus::dag {
namespace {

/// Extra edges shown in the tables; the JSON has them all.
constexpr std::size_t kMaxShownEdges = 200;
/// With more bars a schedule is not drawn: no person could read it, and a file may have billions of
/// SMs.
constexpr std::size_t kMaxBars = 1'000'000;

PlanTable summary(const DagPlan& plan, const System& system, std::size_t edges) {
  PlanTable table{"Plan of task " + system.tasks[plan.task].name, {"what", "value"}, {}};
  const auto add = [&](std::string what, std::string value) {
    table.rows.push_back({std::move(what), std::move(value)});
  };
  const auto time = [&](Time t) { return format_time(t, system.time_unit); };
  add("bound", time(plan.schedule.bound));
  if (plan.deadline) {
    const bool met = plan.schedule.bound <= *plan.deadline;
    add("deadline", time(*plan.deadline) + (met ? " (met)" : " (missed)"));
  }
  if (plan.ordering == Ordering::kPrinted) add("guaranteed", "no: printed variant");
  add("SMs", std::to_string(plan.sms));
  add("steps", std::to_string(plan.schedule.steps.size()));
  add("kernels", std::to_string(plan.schedule.kernels.size()));
  add("cuts", std::to_string(plan.cuts(system)));
  add("extra edges", std::to_string(edges));
  return table;
}

PlanTable step_table(const DagPlan& plan, const System& system, const Segments& segments,
                     std::size_t j) {
  const Step& step = plan.schedule.steps[j];
  const auto time = [&](Time t) { return format_time(t, system.time_unit); };
  PlanTable table{fmt::format("Step {}: r = {}, spare SMs {}", j + 1, time(step.r), step.spare),
                  {"kernel", "role", "load", "m", "c"},
                  {}};
  for (std::uint32_t place = step.begin; place < step.end; ++place) {
    const Kernel& kernel = plan.schedule.kernels[place];
    table.rows.push_back({plan.kernel_name(system, segments, place),
                          kernel.is_copy()        ? "copy"
                          : place < step.launched ? "primary"
                                                  : "launched",
                          time(kernel.load), std::to_string(kernel.m), time(kernel.c)});
  }
  return table;
}

PlanTable edge_table(const DagPlan& plan, const System& system, const Segments& segments,
                     std::vector<KernelEdge> edges) {
  PlanTable table{"Extra edges", {"kernel", "waits for"}, {}};
  if (edges.size() > kMaxShownEdges) {
    edges.resize(kMaxShownEdges);
    table.title += fmt::format(" (the first {})", kMaxShownEdges);
  }
  std::sort(edges.begin(), edges.end(), [](const KernelEdge& a, const KernelEdge& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  for (std::size_t i = 0; i < edges.size(); ++i) {
    std::string from = plan.kernel_name(system, segments, edges[i].first);
    if (i > 0 && edges[i - 1].second == edges[i].second) {
      table.rows.back()[1] += ", " + from;
    } else {
      table.rows.push_back({plan.kernel_name(system, segments, edges[i].second), std::move(from)});
    }
  }
  return table;
}

/// A quoted Graphviz string.
std::string dot_string(std::string_view text) { return '"' + dot_escaped(text) + '"'; }

}  // namespace

std::vector<PlanTable> DagPlan::tables(const System& system) const {
  const Graph& graph = system.tasks[task].graph;
  const Segments segments(graph.size(), schedule);
  std::vector<KernelEdge> edges = extra_edges(graph, schedule, segments, ordering);
  std::vector<PlanTable> out = {summary(*this, system, edges.size())};
  for (std::size_t j = 0; j < schedule.steps.size(); ++j) {
    out.push_back(step_table(*this, system, segments, j));
  }
  if (!edges.empty()) out.push_back(edge_table(*this, system, segments, std::move(edges)));
  return out;
}

std::vector<PlanBar> DagPlan::bars(const System& system) const {
  std::vector<PlanBar> out;
  if (ordering == Ordering::kNone) return out;
  const Segments segments(system.tasks[task].graph.size(), schedule);
  Time start;
  for (const Step& step : schedule.steps) {
    std::int64_t unit = 0;
    for (std::uint32_t place = step.begin; place < step.end; ++place) {
      const Kernel& kernel = schedule.kernels[place];
      const std::string name = kernel_name(system, segments, place);
      // More blocks than SMs: they run in waves on all of them.
      const std::int64_t end = unit + std::min(kernel.m, sms);
      if (out.size() + static_cast<std::size_t>(end - unit) > kMaxBars) return {};
      for (; unit < end; ++unit) out.push_back({unit, start, start + kernel.c, name});
    }
    start += step.r;
  }
  return out;
}

std::string DagPlan::dot(const System& system) const {
  const Graph& graph = system.tasks[task].graph;
  const Segments segments(graph.size(), schedule);
  std::string out = "digraph plan {\n  rankdir=LR;\n  node [shape=box];\n";
  const auto line = [&]<typename... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  };
  for (std::size_t j = 0; j < schedule.steps.size(); ++j) {
    const Step& step = schedule.steps[j];
    const bool cluster = ordering != Ordering::kNone;
    if (cluster) {
      line("  subgraph cluster_{} {{\n    label=\"step {}, r = {}\";\n", j + 1, j + 1,
           format_time(step.r, system.time_unit));
    }
    for (std::uint32_t place = step.begin; place < step.end; ++place) {
      const Kernel& kernel = schedule.kernels[place];
      std::string label = dot_string(kernel_name(system, segments, place));
      const std::string load = format_time(kernel.load, system.time_unit);
      label.insert(label.size() - 1, kernel.is_copy()
                                         ? fmt::format("\\ncopy, {}", load)
                                         : fmt::format("\\nload {}, m {}", load, kernel.m));
      line("    k{} [label={}{}{}];\n", place, label,
           segments.is_cut(kernel.node) ? ", peripheries=2" : "",
           place < step.launched ? "" : ", style=filled");
    }
    if (cluster) out += "  }\n";
  }
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    const auto own = segments.of(node);
    for (std::size_t i = 1; i < own.size(); ++i) {
      line("  k{} -> k{} [style=bold];\n", own[i - 1], own[i]);
    }
    for (NodeIndex next : graph.successors(node)) {
      line("  k{} -> k{};\n", segments.last(node), segments.first(next));
    }
  }
  for (const auto& [from, to] : extra_edges(graph, schedule, segments, ordering)) {
    line("  k{} -> k{} [style=dashed, constraint=false];\n", from, to);
  }
  return out + "}\n";
}

}  // namespace tactus::dag
