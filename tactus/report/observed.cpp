#include "tactus/report/observed.hpp"

#include <fmt/core.h>

#include "tactus/base/statistics.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::report {
namespace {

std::string shown_time(Time time, const System& system, trace::Producer producer) {
  return producer == trace::Producer::kProcesses ? measured_time(time, system.time_unit)
                                                 : format_time(time, system.time_unit);
}

/// Lateness is shown in microseconds, whatever the unit.
std::string us(Time time) { return format_time(time, TimeUnit::kUs); }

/// Releases that are not as the file says: a run with them is covered by no bound.
std::string releases_text(const System& system, const trace::Observed& observed,
                          const Style& style) {
  std::string out;
  for (const trace::ObservedTask& task : observed.tasks) {
    if (!task.releases || task.releases->outside() == 0) continue;
    const trace::ObservedReleases& seen = *task.releases;
    std::string what;
    const auto add = [&](std::uint64_t count, std::string_view text) {
      if (count > 0) what += fmt::format("{}{} {}", what.empty() ? "" : ", ", count, text);
    };
    add(seen.late, fmt::format("later than its jitter of {} (the latest by {} us)",
                               format_time(system.tasks[task.task].jitter, system.time_unit),
                               us(seen.latest)));
    add(seen.early, "before the nominal arrival (a `bcet` before it is too long)");
    add(seen.lost, "lost");
    add(seen.doubled, "told twice");
    out += inked(fmt::format("Outside of the model, which no bound covers: releases of {}: {}\n",
                             system.tasks[task.task].name, what),
                 Ink::kYellow, style);
  }
  return out;
}

}  // namespace

std::string measured_time(Time time, TimeUnit unit) {
  return fmt::format("{:.3f}",
                     static_cast<double>(time.ns()) / static_cast<double>(nanoseconds_in(unit)));
}

std::string observed_tasks_text(const System& system, const trace::Observed& observed,
                                const Style& style) {
  const bool spread = observed.producer == trace::Producer::kProcesses;
  const bool late = observed.producer == trace::Producer::kExecutor;
  const auto text = [&](Time time) { return shown_time(time, system, observed.producer); };
  std::vector<Table::Column> columns = {{"task"}, {"jobs", Align::kRight}};
  const auto add = [&](std::string title) { columns.push_back({std::move(title), Align::kRight}); };
  if (spread) add("min");
  add("mean");
  if (spread) add("dev");
  for (const char* title : {"p99", "max", "bound", "deadline", "misses"}) add(title);
  if (late) {
    add("late p99");
    add("max (us)");
  }
  if (spread) add("disturbed");
  Table table(std::move(columns));
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const trace::ObservedTask& task = observed.tasks[i];
    if (!task.took_part) continue;
    const Statistics seen = statistics_of(task.responses);
    std::vector<Cell> row = {system.tasks[i].name, std::to_string(task.jobs())};
    if (spread) row.emplace_back(text(seen.min));
    row.emplace_back(text(seen.mean));
    if (spread) row.emplace_back(text(seen.deviation));
    row.emplace_back(text(seen.p99));
    row.push_back({text(task.longest), task.exceeds_bound() ? Ink::kRed : Ink::kPlain});
    row.emplace_back(task.bound ? text(*task.bound) : system.tasks[i].best_effort ? "-" : "none");
    row.emplace_back(task.deadline ? text(*task.deadline) : "-");
    row.push_back({std::to_string(task.misses), task.misses > 0 ? Ink::kRed : Ink::kPlain});
    if (late) {
      const Statistics noticed = statistics_of(task.late);
      row.emplace_back(us(noticed.p99));
      row.emplace_back(us(noticed.max));
    }
    if (spread) row.emplace_back(std::to_string(task.disturbed));
    table.add(std::move(row));
  }
  return table.render(style, "  ") + releases_text(system, observed, style);
}

std::string observed_chains_text(const System& system, const trace::Observed& observed,
                                 const Style& style) {
  if (observed.chains.empty()) return {};
  const auto text = [&](Time time) { return shown_time(time, system, observed.producer); };
  Table table({{"chain"},
               {"outputs", Align::kRight},
               {"reaction", Align::kRight},
               {"age", Align::kRight},
               {"bound", Align::kRight}});
  for (const trace::ObservedChain& chain : observed.chains) {
    const Ink ink = chain.exceeds_bound() ? Ink::kRed : Ink::kPlain;
    table.add({system.chains[chain.chain].name,
               std::to_string(chain.outputs),
               {text(chain.reaction), ink},
               {text(chain.age), ink},
               chain.bound ? text(*chain.bound) : "none"});
  }
  std::string out = table.render(style, "  ");
  for (const trace::ObservedChain& chain : observed.chains) {
    if (chain.disturbed == 0) continue;
    out += fmt::format("{}: not compared, because the machine disturbed {} jobs of its tasks\n",
                       system.chains[chain.chain].name, chain.disturbed);
  }
  return out;
}

std::string violations_text(const System& system, const trace::Observed& observed,
                            const Style& style) {
  std::string out;
  for (const trace::Violation& violation : trace::violations(observed)) {
    out += inked(
        fmt::format("{} was seen to take {}, more than its bound {}\n",
                    violation.chain ? fmt::format("chain {}", system.chains[*violation.chain].name)
                                    : fmt::format("task {}", system.tasks[violation.task].name),
                    shown_time(violation.observed, system, observed.producer),
                    shown_time(violation.bound, system, observed.producer)),
        Ink::kRed, style);
  }
  return out;
}

}  // namespace tactus::report
