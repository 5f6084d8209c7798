#include "tactus/report/run.hpp"

#include <fmt/core.h>

#include "tactus/report/statistics.hpp"
#include "tactus/report/table.hpp"

namespace tactus::report {
namespace {

using runtime::Piece;
using runtime::RunReport;
using runtime::TaskSeen;

/// Times in the file's unit, to the nanosecond; lateness in microseconds, whatever the unit.
std::string us(Time time) { return format_time(time, TimeUnit::kUs); }

std::string tasks_text(const Run& run, const Style& style) {
  const System& system = run.system;
  const auto text = [&](Time time) { return format_time(time, system.time_unit); };
  Table table({{"task"},
               {"jobs", Align::kRight},
               {"mean", Align::kRight},
               {"p99", Align::kRight},
               {"max", Align::kRight},
               {"bound", Align::kRight},
               {"deadline", Align::kRight},
               {"misses", Align::kRight},
               {"late p99", Align::kRight},
               {"max (us)", Align::kRight}});
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const TaskSeen& task = run.report.tasks[i];
    if (!task.took_part()) continue;
    const Statistics seen = statistics_of(task.seen.responses), late = statistics_of(task.late);
    const auto& deadline = system.tasks[i].deadline;
    table.add({system.tasks[i].name,
               std::to_string(seen.count),
               text(seen.mean),
               text(seen.p99),
               {text(seen.max), task.exceeds_bound() ? Ink::kRed : Ink::kPlain},
               task.bound ? text(*task.bound) : "none",
               deadline ? text(*deadline) : "-",
               {std::to_string(task.seen.misses), task.seen.misses > 0 ? Ink::kRed : Ink::kPlain},
               us(late.p99),
               us(late.max)});
  }
  return table.render(style, "  ");
}

std::string pieces_text(const Run& run, const Style& style) {
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
  for (const Piece& piece : run.report.pieces) {
    const std::string got = piece.narrowest == piece.widest
                                ? std::to_string(piece.widest)
                                : fmt::format("{}-{}", piece.narrowest, piece.widest);
    table.add({system.tasks[piece.task].name + "." + piece.label,
               system.platform.elements[piece.element].name,
               std::to_string(piece.runs),
               text(piece.mean()),
               text(piece.longest),
               piece.bound ? text(*piece.bound) : "-",
               {std::to_string(piece.over), piece.over > 0 ? Ink::kYellow : Ink::kPlain},
               piece.asked > 0 ? std::to_string(piece.asked) : "-",
               {got, piece.width_differs() ? Ink::kYellow : Ink::kPlain}});
  }
  return table.render(style, "  ");
}

std::string shares_text(const Run& run) {
  std::string out;
  for (const runtime::Share& share : run.report.shares) {
    out += fmt::format("{}{} {} of {}", out.empty() ? "Own units: " : ", ",
                       run.system.tasks[share.task].name, share.got,
                       run.system.platform.elements[share.element].name);
    if (share.got != share.asked) out += fmt::format(" (asked for {})", share.asked);
  }
  return out.empty() ? out : out + '\n';
}

/// Whether the table was wrong, or kept too late.
std::string late_jobs_text(const Run& run, const Style& style) {
  const runtime::BatchesSeen& batches = *run.report.batches;
  std::string out;
  const auto blame = [&](const runtime::BatchesSeen::Blamed& jobs, std::string_view why) {
    if (jobs.missed + jobs.over_bound == 0) return;
    out +=
        inked(fmt::format("{} jobs missed their deadline and {} others exceeded their bound {}\n",
                          jobs.missed, jobs.over_bound, why),
              Ink::kRed, style);
  };
  blame(batches.by_host,
        "because the host was late: submitted in time, the same batches keep them");
  blame(batches.by_batches, "because batches took longer than the table says");
  const auto text = [&](Time time) { return format_time(time, run.system.time_unit); };
  for (const runtime::LateJob& job : batches.late_jobs) {
    out += fmt::format("  {} job {} at {}: response {}, {} had the host been in time{}\n",
                       run.system.tasks[job.task].name, job.job, text(job.release),
                       text(job.response), text(job.on_time), job.missed ? "" : " (deadline met)");
  }
  return out;
}

std::string batches_text(const Run& run, const Style& style) {
  if (!run.report.batches) return {};
  const runtime::BatchesSeen& batches = *run.report.batches;
  const Statistics late = statistics_of(batches.late);
  std::string out = fmt::format("Batches: {} played, submitted late by p50 {}, p99 {}, max {} us\n",
                                batches.played, us(late.p50), us(late.p99), us(late.max));
  if (batches.overrun > 0) {
    out += inked(fmt::format("{} batches took longer than the table says\n", batches.overrun),
                 Ink::kYellow, style);
  }
  const auto text = [&](Time time) { return format_time(time, run.system.time_unit); };
  for (const runtime::Overrun& overrun : batches.overruns) {
    out += fmt::format("  frame {} at {}: {} instead of {}", overrun.frame, text(overrun.at),
                       text(overrun.took), text(overrun.expected));
    if (overrun.stalled > Time()) {
      out += fmt::format(", the host was held up for {} us in between", us(overrun.stalled));
    }
    out += '\n';
  }
  return out + late_jobs_text(run, style);
}

}  // namespace

std::string run_text(const Run& run, const Style& style) {
  const RunReport& report = run.report;
  std::string out = fmt::format(
      "{} ({}) on {}: {}, {} SMs, {} run{}\n", inked(run.method, Ink::kBold, style), run.variant,
      run.system.name, report.machine.name, report.machine.sms,
      format_time(report.end, run.system.time_unit), report.interrupted ? ", interrupted" : "");
  out += tasks_text(run, style) + '\n' + pieces_text(run, style);
  out += shares_text(run) + batches_text(run, style);
  for (const std::string& feature : report.machine.features) out += feature + '\n';
  for (const std::string& note : report.notes) out += fmt::format("Note: {}\n", note);
  for (const std::string& failure : report.failures) {
    out += inked(failure + '\n', Ink::kRed, style);
  }
  if (report.failed > report.failures.size()) {
    out += fmt::format("and {} more\n", report.failed - report.failures.size());
  }
  return out;
}

}  // namespace tactus::report
