#include "tactus/methods/gang/gang_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "tactus/model/written.hpp"

namespace tactus {
namespace gang {
namespace {

/// @pre the node has an entry for this many units.
Time wcet_on(const Node& node, std::int64_t units) {
  return std::find_if(node.times.begin(), node.times.end(),
                      [&](const TimesEntry& entry) { return entry.units == units; })
      ->wcet;
}

}  // namespace
}  // namespace gang

using namespace codec;  // the words of the table
using gang::SharePlan;

namespace {

/// A plan, and what follows from its shares.
struct ShareFields {
  const SharePlan& plan;
  std::int64_t total_units;
  std::optional<gang::Widths> widths;
};

template <typename Value>
using ByIndex = std::vector<std::pair<TaskIndex, Value>>;

template <typename Value, Value (*kValue)(const SharePlan::Share&)>
ByIndex<Value> by_task(const ShareFields& shares) {
  ByIndex<Value> all;
  for (const SharePlan::Share& share : shares.plan.shares) {
    all.emplace_back(share.task, kValue(share));
  }
  return all;
}
Time bound_of(const SharePlan::Share& share) { return share.bound; }
std::string_view delta_of(const SharePlan::Share& share) {
  return share.exact_delta ? "exact" : "dp";
}

/// By element.
using Units = std::vector<std::pair<std::string_view, std::int64_t>>;

ByIndex<Units> allocation_of(const System& system, const ShareFields& shares) {
  ByIndex<Units> all;
  for (const SharePlan::Share& share : shares.plan.shares) {
    Units& units = all.emplace_back(share.task, Units()).second;
    for (std::size_t p = 0; p < share.units.size(); ++p) {
      units.emplace_back(system.platform.elements[p].name, share.units[p]);
    }
  }
  return all;
}

struct WidthsByNode : ByName<ByName<Number>> {
  static void write(json::Writer& out, const System& system, const gang::Widths& widths) {
    gang::write_widths(out, system, widths);
  }
};

}  // namespace

template <>
std::span<const Field<ShareFields>> fields<ShareFields>() {
  static constexpr auto kTable = std::to_array<Field<ShareFields>>({
      always<allocation_of, ByTask<ByName<Number>>>("allocation", "Units, by task and element"),
      always<&ShareFields::total_units, Number>("total_units", "Of all shares"),
      always<by_task<Time, bound_of>, ByTask<TimeSeen>>("bounds", "By task"),
      always<by_task<std::string_view, delta_of>, ByTask<OneOf<"exact", "dp">>>(
          "delta", "By task: how idle processors were counted"),
      where_known<&ShareFields::widths, WidthsByNode>("widths", "Units, by task and node"),
  });
  return kTable;
}

namespace gang {

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
  write_members(out, system,
                ShareFields{*this, total_units(),
                            has_widths() ? std::optional(widths(system)) : std::nullopt});
}
std::vector<Described> plan_keys() { return described<ShareFields>(); }

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

}  // namespace gang
}  // namespace tactus
