#include "tactus/report/simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tactus/model/format.hpp"
#include "tactus/model/json_writer.hpp"
#include "tactus/report/gantt.hpp"
#include "tactus/report/statistics.hpp"
#include "tactus/report/table.hpp"
#include "tactus/simulate/compare.hpp"

namespace tactus::report {
namespace {

/// Share of an element's capacity that was used, in thousandths.
std::int64_t utilisation(const Simulation& simulation, std::size_t element) {
  const Element& e = simulation.system.platform.elements[element];
  const auto capacity = static_cast<__int128>(simulation.outcome.end.ns()) * e.units * e.lanes;
  if (capacity == 0) return 0;
  const auto busy = static_cast<__int128>(simulation.outcome.busy[element].ns());
  return static_cast<std::int64_t>(busy * 1000 / capacity);
}

}  // namespace

std::string simulation_text(const Simulation& simulation, const Style& style) {
  const System& system = simulation.system;
  const TimeUnit unit = system.time_unit;
  const auto text = [&](Time time) { return format_time(time, unit); };
  std::string out = fmt::format(
      "{} ({}) on {}, scenario {}, seed {}, {} simulated\n",
      inked(simulation.verdict.method, Ink::kBold, style), simulation.verdict.variant, system.name,
      to_string(simulation.scenario), simulation.scenario.seed, text(simulation.outcome.end));
  Table table({{"task"},
               {"jobs", Align::kRight},
               {"mean", Align::kRight},
               {"p99", Align::kRight},
               {"max", Align::kRight},
               {"bound", Align::kRight},
               {"deadline", Align::kRight},
               {"misses", Align::kRight}});
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const simulate::Observed& seen = simulation.outcome.tasks[i];
    const Statistics statistics = statistics_of(seen.responses);
    const auto bound = simulate::promised_bound(simulation.verdict, i);
    const Task& task = system.tasks[i];
    table.add({task.name,
               std::to_string(statistics.count),
               text(statistics.mean),
               text(statistics.p99),
               {text(seen.longest), bound && seen.longest_alone > *bound ? Ink::kRed : Ink::kPlain},
               bound              ? text(*bound)
               : task.best_effort ? "-"
                                  : "none",
               task.deadline && !task.best_effort ? text(*task.deadline) : "-",
               {std::to_string(seen.misses), seen.misses > 0 ? Ink::kRed : Ink::kPlain}});
  }
  out += table.render(style, "  ");
  std::string used;
  for (std::size_t e = 0; e < system.platform.elements.size(); ++e) {
    used += fmt::format("{}{} {} %", e == 0 ? "" : ", ", system.platform.elements[e].name,
                        format_scaled(utilisation(simulation, e), 1));
  }
  out += fmt::format("In use: {}\n", used);
  for (const simulate::Violation& violation :
       simulate::violations(simulation.verdict, simulation.outcome)) {
    out += inked(fmt::format("task {} was seen to take {}, more than its bound {}\n",
                             system.tasks[violation.task].name, text(violation.observed),
                             text(violation.bound)),
                 Ink::kRed, style);
  }
  return out;
}

std::string simulation_json(const Simulation& simulation) {
  const System& system = simulation.system;
  const auto time = [&](json::Writer& out, const std::optional<Time>& value) {
    write_time(out, value, system.time_unit);
  };
  json::Writer out;
  out.begin_object();
  out.key("tactus").integer(kFormatVersion);
  out.key("system").string(system.name);
  out.key("method").string(simulation.verdict.method);
  out.key("variant").string(simulation.verdict.variant);
  out.key("scenario").string(to_string(simulation.scenario));
  out.key("seed").number(std::to_string(simulation.scenario.seed));
  time(out.key("end"), simulation.outcome.end);
  out.key("events").number(std::to_string(simulation.outcome.events));
  out.key("tasks").begin_array();
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const simulate::Observed& seen = simulation.outcome.tasks[i];
    const Statistics statistics = statistics_of(seen.responses);
    const bool best_effort = system.tasks[i].best_effort;
    out.begin_object();
    out.key("task").string(system.tasks[i].name);
    out.key("jobs").integer(static_cast<std::int64_t>(statistics.count));
    time(out.key("mean"), statistics.mean);
    time(out.key("p99"), statistics.p99);
    time(out.key("max"), seen.longest);
    time(out.key("bound"), simulate::promised_bound(simulation.verdict, i));
    time(out.key("deadline"), best_effort ? std::nullopt : system.tasks[i].deadline);
    out.key("misses").integer(seen.misses);
    out.end_object();
  }
  out.end_array();
  out.key("utilisation").begin_object();
  for (std::size_t e = 0; e < system.platform.elements.size(); ++e) {
    out.key(system.platform.elements[e].name).number(format_scaled(utilisation(simulation, e), 3));
  }
  out.end_object().end_object();
  return out.take();
}

std::string trace_gantt(const Trace& trace, const System& system, Time until, const Style& style) {
  std::map<std::pair<ElementIndex, std::uint32_t>, std::vector<GanttBar>> rows;
  for (const Interval& interval : trace.intervals) {
    if (interval.start >= until) continue;
    const Task& task = system.tasks[interval.task];
    std::string label = task.name + "." + task.nodes[interval.node].name;
    if (interval.activity != Activity::kRun)
      label = task.name + ":" + std::string(to_string(interval.activity));
    rows[{interval.element, interval.unit}].push_back(
        {interval.start, std::min(interval.end, until), std::move(label)});
  }
  std::vector<GanttRow> all;
  for (auto& [place, bars] : rows) {
    all.push_back(
        {fmt::format("{} {}", system.platform.elements[place.first].name, place.second + 1),
         std::move(bars)});
  }
  return render_gantt(all, system.time_unit, style);
}

}  // namespace tactus::report
