#include "tactus/report/task_run.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/model/format.hpp"
#include "tactus/model/json_writer.hpp"
#include "tactus/report/statistics.hpp"
#include "tactus/report/table.hpp"
#include "tactus/simulate/compare.hpp"

namespace tactus::report {
namespace {

Time least_of(const std::vector<Time>& times) {
  return times.empty() ? Time() : *std::min_element(times.begin(), times.end());
}

/// To three decimals of the unit: a measurement has no more to say.
std::string short_time(Time time, TimeUnit unit) {
  const double value = static_cast<double>(time.ns()) / static_cast<double>(nanoseconds_in(unit));
  return fmt::format("{:.3f}", value);
}

std::string how(const TaskProcesses& shown) {
  std::string text = fmt::format("mode {}", arbiter::tasks::to_string(shown.options.mode));
  if (shown.options.mode == arbiter::tasks::Mode::kArbiter)
    text += fmt::format(", tier {}", arbiter::tasks::to_string(shown.options.tier));
  return text + (shown.options.busy_wait ? ", busy waiting" : ", suspending");
}

}  // namespace

std::string task_run_text(const TaskProcesses& shown, const Style& style) {
  const System& system = shown.system;
  const auto text = [&](Time time) { return short_time(time, system.time_unit); };
  const Verdict& verdict = shown.run.verdict;
  std::string out = fmt::format(
      "{} on {}, {}, {} of work; bounds of {} ({})\n", inked(system.name, Ink::kBold, style),
      shown.run.machine, how(shown), format_time(shown.options.duration, TimeUnit::kS) + " s",
      verdict.method, verdict.variant);
  Table table({{"task"},
               {"jobs", Align::kRight},
               {"min", Align::kRight},
               {"mean", Align::kRight},
               {"dev", Align::kRight},
               {"p99", Align::kRight},
               {"max", Align::kRight},
               {"bound", Align::kRight},
               {"deadline", Align::kRight},
               {"misses", Align::kRight},
               {"disturbed", Align::kRight}});
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const arbiter::tasks::TaskRun& run = shown.run.tasks[i];
    const Statistics spread = statistics_of(run.seen.responses);
    const auto bound = simulate::promised_bound(verdict, i);
    const bool exceeded = bound && run.longest_undisturbed > *bound;
    table.add({task.name,
               std::to_string(spread.count),
               text(least_of(run.seen.responses)),
               text(spread.mean),
               text(spread.deviation),
               text(spread.p99),
               {text(spread.max), exceeded ? Ink::kRed : Ink::kPlain},
               bound              ? text(*bound)
               : task.best_effort ? "-"
                                  : "none",
               task.deadline && !task.best_effort ? text(*task.deadline) : "-",
               {std::to_string(run.seen.misses), run.seen.misses > 0 ? Ink::kRed : Ink::kPlain},
               std::to_string(run.disturbed)});
    if (exceeded)
      out += inked(fmt::format("task {} took {}, more than its bound {}\n", task.name,
                               text(run.longest_undisturbed), text(*bound)),
                   Ink::kRed, style);
    if (run.wrong > 0)
      out +=
          inked(fmt::format("task {}: {} wrong results\n", task.name, run.wrong), Ink::kRed, style);
    if (run.unarbitrated > 0)
      out += inked(fmt::format("task {}: {} of {} segments ran without the arbiter\n", task.name,
                               run.unarbitrated, run.segments),
                   Ink::kRed, style);
  }
  out += table.render(style, "  ");
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Statistics begins = statistics_of(shown.run.tasks[i].begins);
    if (begins.count > 0)
      out += fmt::format("{}: begin to exclusive {} times, median {}, p99 {}, max {}\n",
                         system.tasks[i].name, begins.count, text(begins.p50), text(begins.p99),
                         text(begins.max));
  }
  for (const std::string& note : shown.run.notes) out += "note: " + note + "\n";
  return out;
}

std::string task_run_json(const TaskProcesses& shown) {
  const System& system = shown.system;
  const auto time = [&](json::Writer& out, const std::optional<Time>& value) {
    if (value) {
      out.number(format_time(*value, system.time_unit));
    } else {
      out.null();
    }
  };
  const auto spread_fields = [&](json::Writer& out, const std::vector<Time>& times) {
    const Statistics spread = statistics_of(times);
    time(out.key("min"), least_of(times));
    time(out.key("mean"), spread.mean);
    time(out.key("median"), spread.p50);
    time(out.key("deviation"), spread.deviation);
    time(out.key("p99"), spread.p99);
    time(out.key("max"), spread.max);
  };
  json::Writer out;
  out.begin_object();
  out.key("tactus").integer(kFormatVersion);
  out.key("system").string(system.name);
  out.key("machine").string(shown.run.machine);
  out.key("mode").string(arbiter::tasks::to_string(shown.options.mode));
  out.key("tier").string(shown.options.mode == arbiter::tasks::Mode::kArbiter
                             ? arbiter::tasks::to_string(shown.options.tier)
                             : "none");
  out.key("wait").string(shown.options.busy_wait ? "busy" : "suspend");
  out.key("fill").integer(shown.options.fill);
  out.key("method").string(shown.run.verdict.method);
  out.key("variant").string(shown.run.verdict.variant);
  out.key("good").boolean(shown.run.good());
  time(out.key("gpu_item"), shown.run.gpu_item);
  if (const auto& updates = shown.run.updates) {
    out.key("updates").begin_object();
    out.key("count").integer(static_cast<std::int64_t>(updates->updates));
    time(out.key("mean"), Time::from_ns(updates->mean_ns()));
    time(out.key("max"), Time::from_ns(updates->max_ns));
    time(out.key("take_off_max"), Time::from_ns(updates->take_off_max_ns));
    time(out.key("put_back_max"), Time::from_ns(updates->put_back_max_ns));
    out.end_object();
  }
  out.key("tasks").begin_array();
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const arbiter::tasks::TaskRun& run = shown.run.tasks[i];
    out.begin_object();
    out.key("task").string(task.name);
    out.key("jobs").integer(static_cast<std::int64_t>(run.seen.responses.size()));
    spread_fields(out, run.seen.responses);
    time(out.key("bound"), simulate::promised_bound(shown.run.verdict, i));
    time(out.key("deadline"), task.best_effort ? std::nullopt : task.deadline);
    out.key("misses").integer(run.seen.misses);
    out.key("disturbed").integer(run.disturbed);
    time(out.key("max_undisturbed"), run.longest_undisturbed);
    out.key("segments").integer(run.segments);
    out.key("unarbitrated").integer(run.unarbitrated);
    out.key("wrong_results").integer(run.wrong);
    out.key("resumed").integer(run.resumed);
    out.key("real_time").boolean(run.real_time);
    out.key("worst").begin_object();
    const arbiter::tasks::JobParts& worst = run.worst;
    out.key("job").integer(worst.job);
    time(out.key("response"), Time::from_ns(worst.response_ns));
    time(out.key("late"), Time::from_ns(worst.late_ns));
    time(out.key("cpu"), Time::from_ns(worst.cpu_ns));
    time(out.key("begin"), Time::from_ns(worst.begin_ns));
    time(out.key("launch"), Time::from_ns(worst.launch_ns));
    time(out.key("gpu"), Time::from_ns(worst.gpu_ns));
    time(out.key("end"), Time::from_ns(worst.end_ns));
    out.end_object();
    out.key("begin").begin_object();
    out.key("count").integer(static_cast<std::int64_t>(run.begins.size()));
    spread_fields(out, run.begins);
    out.end_object();
    out.end_object();
  }
  out.end_array();
  out.key("notes").begin_array();
  for (const std::string& note : shown.run.notes) out.string(note);
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
