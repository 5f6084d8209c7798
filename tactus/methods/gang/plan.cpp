#include "tactus/methods/gang/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace tactus::gang {
namespace {

/// @pre the node has an entry for this many units.
Time wcet_on(const Node& node, std::int64_t units) {
  return std::find_if(node.times.begin(), node.times.end(),
                      [&](const TimesEntry& entry) { return entry.units == units; })
      ->wcet;
}

}  // namespace

std::int64_t SharePlan::total_units() const {
  std::int64_t total = 0;
  for (const Share& share : shares) {
    total = std::accumulate(share.units.begin(), share.units.end(), total);
  }
  return total;
}

bool SharePlan::has_widths() const {
  return std::any_of(shares.begin(), shares.end(),
                     [](const Share& share) { return !share.widths.empty(); });
}

Widths SharePlan::widths(const System& system) const {
  Widths all(system.tasks.size());
  for (const Share& share : shares) all[share.task] = share.widths;
  return all;
}

void SharePlan::write_fields(json::Writer& out, const System& system) const {
  out.key("allocation").begin_object();
  for (const Share& share : shares) {
    out.key(system.tasks[share.task].name).begin_object();
    for (std::size_t p = 0; p < share.units.size(); ++p) {
      out.key(system.platform.elements[p].name).integer(share.units[p]);
    }
    out.end_object();
  }
  out.end_object();
  out.key("total_units").integer(total_units());
  out.key("bounds").begin_object();
  for (const Share& share : shares) {
    out.key(system.tasks[share.task].name).number(format_time(share.bound, system.time_unit));
  }
  out.end_object();
  out.key("delta").begin_object();
  for (const Share& share : shares) {
    out.key(system.tasks[share.task].name).string(share.exact_delta ? "exact" : "dp");
  }
  out.end_object();
  if (!has_widths()) return;
  write_widths(out.key("widths"), system, widths(system));
}

std::vector<PlanTable> SharePlan::tables(const System& system) const {
  PlanTable table{"Exclusive units of every task", {"task"}, {}};
  for (const Element& element : system.platform.elements) table.header.push_back(element.name);
  table.header.insert(table.header.end(), {"bound", "deadline"});
  std::vector<std::int64_t> used(system.platform.elements.size());
  for (const Share& share : shares) {
    const Task& task = system.tasks[share.task];
    std::vector<std::string> row{task.name};
    for (std::size_t p = 0; p < used.size(); ++p) {
      used[p] += share.units[p];
      row.push_back(std::to_string(share.units[p]));
    }
    row.push_back(format_time(share.bound, system.time_unit));
    row.push_back(format_time(*task.deadline, system.time_unit));
    table.rows.push_back(std::move(row));
  }
  std::vector<std::string> sum{"used / there"};
  for (std::size_t p = 0; p < used.size(); ++p) {
    sum.push_back(fmt::format("{} / {}", used[p], system.platform.elements[p].units));
  }
  sum.resize(table.header.size());
  table.rows.push_back(std::move(sum));
  if (!has_widths()) return {table};
  PlanTable kernels{"Widths of measured kernels (run on exactly these)",
                    {"task", "node", "element", "units", "of", "wcet"},
                    {}};
  for (const Share& share : shares) {
    const Task& task = system.tasks[share.task];
    for (const auto& [index, units] : share.widths) {
      const Node& node = task.nodes[index];
      kernels.rows.push_back({task.name, node.name, system.platform.elements[node.on].name,
                              std::to_string(units), std::to_string(share.units[node.on]),
                              format_time(wcet_on(node, units), system.time_unit)});
    }
  }
  return {table, kernels};
}

namespace {

/// A quoted Graphviz string.
std::string dot_string(std::string_view text) { return '"' + dot_escaped(text) + '"'; }

}  // namespace

std::string SharePlan::dot(const System& system) const {
  std::string out = "graph shares {\n  rankdir=LR;\n";
  const auto& elements = system.platform.elements;
  for (std::size_t p = 0; p < elements.size(); ++p) {
    out +=
        fmt::format("  e{} [shape=box, label={}];\n", p,
                    dot_string(fmt::format("{} ({} units)", elements[p].name, elements[p].units)));
  }
  for (const Share& share : shares) {
    out +=
        fmt::format("  t{} [label={}];\n", share.task, dot_string(system.tasks[share.task].name));
    for (std::size_t p = 0; p < elements.size(); ++p) {
      if (share.units[p] == 0) continue;
      out += fmt::format("  t{} -- e{} [label=\"{}\"];\n", share.task, p, share.units[p]);
    }
  }
  return out + "}\n";
}

}  // namespace tactus::gang
