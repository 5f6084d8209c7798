#include "tactus/report/simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tactus/report/gantt.hpp"
#include "tactus/report/observed.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {

std::string simulation_text(const System& system, const trace::Observed& observed,
                            const Style& style) {
  std::string out =
      heading(observed.method, Ink::kBold,
              fmt::format(" ({}) on {}, scenario {}, seed {}, {} simulated", observed.variant,
                          system.name, to_string(*observed.scenario), observed.scenario->seed,
                          format_time(observed.end, system.time_unit)),
              style);
  out += observed_tasks_text(system, observed, style);
  out += observed_chains_text(system, observed, style);
  std::string used;
  for (ElementIndex e = 0; e < system.platform.elements.size(); ++e) {
    used += fmt::format("{}{} {} %", e == 0 ? "" : ", ", system.platform.elements[e].name,
                        format_scaled(observed.utilisation(system, e), 1));
  }
  out +=
      heading("", Ink::kPlain, "In use: " + used, style) + violations_text(system, observed, style);
  for (const std::string& note : observed.notes) out += paragraph("note: ", note, style);
  return out;
}

std::string trace_gantt(const trace::Trace& trace, const System& system, trace::Window window,
                        const Style& style) {
  std::map<std::pair<ElementIndex, std::uint32_t>, std::vector<GanttBar>> rows;
  for (const trace::Interval& interval : trace.intervals) {
    if (interval.start >= window.to || interval.end <= window.from) continue;
    const Task& task = system.tasks[interval.task];
    std::string label = task.name + "." + task.nodes[interval.node].name;
    if (interval.activity != trace::Activity::kRun)
      label = task.name + ":" + std::string(to_string(interval.activity));
    rows[{interval.element, interval.unit}].push_back({std::max(interval.start, window.from),
                                                       std::min(interval.end, window.to),
                                                       std::move(label)});
  }
  std::vector<GanttRow> all;
  all.reserve(rows.size());
  for (auto& [place, bars] : rows) {
    all.push_back(
        {fmt::format("{} {}", system.platform.elements[place.first].name, place.second + 1),
         std::move(bars)});
  }
  return render_gantt(all, system.time_unit, style, window.from);
}

}  // namespace tactus::report
