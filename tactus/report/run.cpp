#include "tactus/report/run.hpp"

#include <fmt/core.h>

#include "tactus/base/statistics.hpp"
#include "tactus/report/observed.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
namespace {

/// Lateness is shown in microseconds, whatever the unit.
std::string us(Time time) { return format_time(time, TimeUnit::kUs); }

/// Both, which every part needs.
struct Run {
  const System& system;
  const trace::Observed& observed;
};

std::string nodes_text(const Run& run, const Style& style) {
  const System& system = run.system;
  const auto text = [&](Time time) { return format_time(time, system.time_unit); };
  Table table({{"node"},
               {"on"},
               {"runs", Align::kRight},
               {"mean", Align::kRight},
               {"max", Align::kRight},
               {"bound", Align::kRight},
               {"over", Align::kRight},
               {"units asked", Align::kRight},
               {"got", Align::kRight}});
  for (const trace::ObservedNode& node : run.observed.nodes) {
    const std::string got = node.narrowest == node.widest
                                ? std::to_string(node.widest)
                                : fmt::format("{}-{}", node.narrowest, node.widest);
    table.add({system.tasks[node.task].name + "." + node.label,
               system.platform.elements[node.element].name,
               std::to_string(node.runs),
               text(node.mean()),
               text(node.longest),
               node.bound ? text(*node.bound) : "-",
               {std::to_string(node.over), node.over > 0 ? Ink::kYellow : Ink::kPlain},
               node.asked > 0 ? std::to_string(node.asked) : "-",
               {got, node.width_differs() ? Ink::kYellow : Ink::kPlain}});
  }
  return table.render(style, "  ");
}

std::string shares_text(const Run& run, const Style& style) {
  std::string out;
  for (const trace::ObservedShare& share : run.observed.shares) {
    out += fmt::format("{}{} {} of {}", out.empty() ? "Own units: " : ", ",
                       run.system.tasks[share.task].name, share.got,
                       run.system.platform.elements[share.element].name);
    if (share.got != share.asked) out += fmt::format(" (asked for {})", share.asked);
  }
  return out.empty() ? out : heading("", Ink::kPlain, out, style);
}

/// Whether the table was wrong, or was played too late.
std::string late_jobs_text(const Run& run, const Style& style) {
  const trace::ObservedBatches& batches = *run.observed.batches;
  std::string out;
  const auto blame = [&](const trace::ObservedBatches::Blamed& jobs, std::string_view why) {
    if (jobs.missed + jobs.over_bound == 0) return;
    out +=
        inked(fmt::format("{} jobs missed their deadline and {} others exceeded their bound {}\n",
                          jobs.missed, jobs.over_bound, why),
              Ink::kRed, style);
  };
  blame(batches.by_host,
        "because the host was late: if submitted in time, the same batches keep them");
  blame(batches.by_batches, "because batches took longer than the table says");
  const auto text = [&](Time time) { return format_time(time, run.system.time_unit); };
  for (const trace::LateJob& job : batches.late_jobs) {
    out += fmt::format("  {} job {} at {}: response {}, {} if the host had been in time{}\n",
                       run.system.tasks[job.task].name, job.job, text(job.release),
                       text(job.response), text(job.on_time), job.missed ? "" : " (deadline met)");
  }
  return out;
}

std::string batches_text(const Run& run, const Style& style) {
  if (!run.observed.batches) return {};
  const trace::ObservedBatches& batches = *run.observed.batches;
  const Statistics late = statistics_of(batches.late);
  std::string out = fmt::format("Batches: {} played, submitted late by p50 {}, p99 {}, max {} us\n",
                                batches.played, us(late.p50), us(late.p99), us(late.max));
  if (batches.overrun > 0) {
    out += inked(fmt::format("{} batches took longer than the table says\n", batches.overrun),
                 Ink::kYellow, style);
  }
  const auto text = [&](Time time) { return format_time(time, run.system.time_unit); };
  for (const trace::Overrun& overrun : batches.overruns) {
    out += fmt::format("  frame {} at {}: {} instead of {}", overrun.frame, text(overrun.at),
                       text(overrun.took), text(overrun.expected));
    if (overrun.stalled > Time()) {
      out += fmt::format(", the host was delayed for {} us in between", us(overrun.stalled));
    }
    out += '\n';
  }
  return out + late_jobs_text(run, style);
}

}  // namespace

std::string run_text(const System& system, const trace::Observed& observed, const Style& style) {
  const trace::Machine& machine = *observed.machine;
  std::string out =
      heading(observed.method, Ink::kBold,
              fmt::format(" ({}) on {}: {}, {} SMs, {} run{}", observed.variant, system.name,
                          machine.name, machine.sms, format_time(observed.end, system.time_unit),
                          observed.cut_short.empty() ? "" : ", interrupted"),
              style);
  const Run run{system, observed};
  out += observed_tasks_text(system, observed, style) + '\n' + nodes_text(run, style);
  if (!observed.chains.empty()) out += '\n' + observed_chains_text(system, observed, style);
  out += shares_text(run, style) + batches_text(run, style);
  for (const std::string& feature : machine.features)
    out += heading("", Ink::kPlain, feature, style);
  for (const std::string& note : observed.notes)
    out += heading("", Ink::kPlain, "Note: " + note, style);
  for (const std::string& failure : observed.failures) {
    out += inked(failure + '\n', Ink::kRed, style);
  }
  if (observed.failed > observed.failures.size()) {
    out += fmt::format("and {} more\n", observed.failed - observed.failures.size());
  }
  return out;
}

}  // namespace tactus::report
