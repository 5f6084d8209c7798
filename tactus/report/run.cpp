#include "tactus/report/run.hpp"

#include <fmt/core.h>

#include "tactus/model/format.hpp"
#include "tactus/model/json_writer.hpp"
#include "tactus/report/statistics.hpp"
#include "tactus/report/table.hpp"

namespace tactus::report {
namespace {

using runtime::Piece;
using runtime::RunReport;
using runtime::TaskSeen;

/// Did the task take part?
bool shown(const TaskSeen& task) {
  return !task.late.empty() || !task.seen.responses.empty() || task.seen.misses > 0;
}

Time mean_of(const Piece& piece) {
  return piece.runs == 0 ? Time()
                         : Time::from_ns(piece.total.ns() / static_cast<std::int64_t>(piece.runs));
}

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
               {"late p99 (us)", Align::kRight}});
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const TaskSeen& task = run.report.tasks[i];
    if (!shown(task)) continue;
    const Statistics seen = statistics_of(task.seen.responses);
    const auto& deadline = system.tasks[i].deadline;
    table.add({system.tasks[i].name,
               std::to_string(seen.count),
               text(seen.mean),
               text(seen.p99),
               {text(seen.max), task.exceeds_bound() ? Ink::kRed : Ink::kPlain},
               task.bound ? text(*task.bound) : "none",
               deadline ? text(*deadline) : "-",
               {std::to_string(task.seen.misses), task.seen.misses > 0 ? Ink::kRed : Ink::kPlain},
               us(statistics_of(task.late).p99)});
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
               text(mean_of(piece)),
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
  for (const runtime::Overrun& overrun : batches.overruns) {
    out += fmt::format("  frame {} at {}: {} instead of {}\n", overrun.frame,
                       format_time(overrun.at, run.system.time_unit),
                       format_time(overrun.took, run.system.time_unit),
                       format_time(overrun.expected, run.system.time_unit));
  }
  return out;
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

std::string run_json(const Run& run) {
  const System& system = run.system;
  const RunReport& report = run.report;
  json::Writer out;
  const auto time = [&](std::string_view key, const std::optional<Time>& value) {
    out.key(key);
    if (value) {
      out.number(format_time(*value, system.time_unit));
    } else {
      out.null();
    }
  };
  const auto statistics = [&](std::string_view key, std::span<const Time> times) {
    const Statistics seen = statistics_of(times);
    out.key(key).begin_object();
    time("mean", seen.mean);
    time("std", seen.deviation);
    time("p50", seen.p50);
    time("p99", seen.p99);
    time("max", seen.max);
    out.end_object();
  };
  const auto count = [&](std::string_view key, std::uint64_t value) {
    out.key(key).number(std::to_string(value));
  };
  out.begin_object();
  out.key("tactus").integer(kFormatVersion);
  out.key("system").string(system.name);
  out.key("method").string(run.method);
  out.key("variant").string(run.variant);
  out.key("machine").begin_object();
  out.key("name").string(report.machine.name);
  out.key("sms").integer(report.machine.sms);
  out.key("partition_step").integer(report.machine.partition_step);
  out.key("features").begin_array();
  for (const std::string& feature : report.machine.features) out.string(feature);
  out.end_array().end_object();
  time("end", report.end);
  out.key("interrupted").boolean(report.interrupted);
  out.key("good").boolean(report.good());
  out.key("tasks").begin_array();
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const TaskSeen& task = report.tasks[i];
    if (!shown(task)) continue;
    out.begin_object();
    out.key("task").string(system.tasks[i].name);
    count("jobs", task.seen.responses.size());
    statistics("response", task.seen.responses);
    time("longest", task.seen.longest_alone);
    time("bound", task.bound);
    time("deadline", system.tasks[i].deadline);
    count("misses", task.seen.misses);
    statistics("late", task.late);
    out.end_object();
  }
  out.end_array();
  out.key("nodes").begin_array();
  for (const Piece& piece : report.pieces) {
    out.begin_object();
    out.key("task").string(system.tasks[piece.task].name);
    out.key("node").string(piece.label);
    out.key("on").string(system.platform.elements[piece.element].name);
    count("runs", piece.runs);
    time("mean", mean_of(piece));
    time("max", piece.longest);
    time("bound", piece.bound);
    count("over", piece.over);
    out.key("asked").integer(piece.asked);
    out.key("narrowest").integer(piece.narrowest);
    out.key("widest").integer(piece.widest);
    out.end_object();
  }
  out.end_array();
  out.key("shares").begin_array();
  for (const runtime::Share& share : report.shares) {
    out.begin_object();
    out.key("task").string(system.tasks[share.task].name);
    out.key("element").string(system.platform.elements[share.element].name);
    out.key("asked").integer(share.asked);
    out.key("got").integer(share.got);
    out.end_object();
  }
  out.end_array();
  if (report.batches) {
    out.key("batches").begin_object();
    count("played", report.batches->played);
    statistics("late", report.batches->late);
    count("overrun", report.batches->overrun);
    out.end_object();
  }
  out.key("notes").begin_array();
  for (const std::string& note : report.notes) out.string(note);
  out.end_array();
  count("failed", report.failed);
  out.key("failures").begin_array();
  for (const std::string& failure : report.failures) out.string(failure);
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
