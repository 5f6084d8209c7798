#include "tactus/report/watch.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tactus/arbiter/client/arbiter_metrics.hpp"
#include "tactus/report/cover.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/report/observed.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus {

using watch::Departure, watch::Watcher;

namespace report {
namespace {

std::string percent(std::int64_t permille) { return format_scaled(permille, 1) + " %"; }

/// What a bound leaves of the deadline, with what was seen.
std::optional<std::int64_t> room_of(const Watcher& watcher, TaskIndex task) {
  if (!watcher.room()) return std::nullopt;
  return watch::permille_left(watcher.system().tasks[task], watcher.room()->bounds[task]);
}

/// Who is seen, and how.
std::string_view state_of(const Watcher& watcher, TaskIndex task) {
  const watch::Diaries::Writer& writer = watcher.diaries().writer(task);
  if (!writer.known) return "not seen";
  if (!writer.there) return "gone";
  if (!watcher.watch().sees_jobs(task))
    return watcher.watch().sees_segments(task) ? "segments only" : "no job yet";
  if (watcher.system().tasks[task].best_effort) return "best effort";
  if (!watcher.watch().observed().tasks[task].bound) return "not proved";
  return watcher.is_covered(task) ? "covered" : "not covered";
}

Table tasks_table(const Watcher& watcher) {
  const System& system = watcher.system();
  Table table({{"task"},
               {"jobs", Align::kRight},
               {"outside", Align::kRight},
               {"longest", Align::kRight},
               {"bound", Align::kRight},
               {"deadline", Align::kRight},
               {"room", Align::kRight},
               {"state"}});
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const trace::ObservedTask& seen = watcher.watch().observed().tasks[i];
    const auto room = room_of(watcher, i);
    const std::string_view state = state_of(watcher, i);
    const auto time = [&](const std::optional<Time>& t) {
      return t ? measured_time(*t, system.time_unit) : std::string("-");
    };
    const std::uint64_t outside = watcher.watch().counted(i).outside;
    table.add({system.tasks[i].name,
               std::to_string(watcher.watch().responses(i).count),
               {std::to_string(outside), outside > 0 ? Ink::kRed : Ink::kPlain},
               {measured_time(seen.longest, system.time_unit),
                seen.exceeds_bound() ? Ink::kRed : Ink::kPlain},
               time(seen.bound),
               time(seen.deadline),
               {room ? percent(*room) : "-", room && *room < 0 ? Ink::kRed : Ink::kPlain},
               {state, state == "covered" ? Ink::kGreen : Ink::kYellow}});
  }
  return table;
}

Table nodes_table(const Watcher& watcher) {
  const System& system = watcher.system();
  Table table({{"task"},
               {"node"},
               {"seen", Align::kRight},
               {"longest", Align::kRight},
               {"file", Align::kRight},
               {"longer", Align::kRight}});
  for (const trace::ObservedNode& node : watcher.watch().observed().nodes) {
    if (node.runs == 0 || node.label.empty()) continue;
    table.add(
        {system.tasks[node.task].name,
         node.label,
         std::to_string(node.runs),
         {measured_time(node.longest, system.time_unit), node.over > 0 ? Ink::kRed : Ink::kPlain},
         node.bound ? measured_time(*node.bound, system.time_unit) : "-",
         {std::to_string(node.over), node.over > 0 ? Ink::kRed : Ink::kPlain}});
  }
  for (const watch::SeenOperation& operation : watcher.watch().operations()) {
    const bool longer = operation.promised && operation.longest > *operation.promised;
    table.add(
        {"(arbiter)",
         operation.name,
         "",
         {measured_time(operation.longest, system.time_unit), longer ? Ink::kRed : Ink::kPlain},
         operation.promised ? measured_time(*operation.promised, system.time_unit) : "-",
         ""});
  }
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const auto& releases = watcher.watch().observed().tasks[i].releases;
    if (!releases) continue;
    table.add({system.tasks[i].name,
               "release",
               "",
               measured_time(releases->latest, system.time_unit),
               measured_time(system.tasks[i].jitter, system.time_unit),
               {std::to_string(releases->late), releases->late > 0 ? Ink::kRed : Ink::kPlain}});
  }
  return table;
}

}  // namespace

std::string watch_text(const Watcher& watcher, const Style& style) {
  const System& system = watcher.system();
  std::string out = fmt::format("{} by {} ({}), watched for {:.1f} s: {}\n", system.name,
                                watcher.proof().method().id, watcher.proof().verdict().variant,
                                static_cast<double>(watcher.watched_ns()) / 1e9, watcher.status());
  out += tasks_table(watcher).render(style, "  ");
  if (const Table nodes = nodes_table(watcher); !nodes.empty())
    out += '\n' + nodes.render(style, "  ");
  for (const Departure& departure : watcher.watch().departures()) {
    out += inked(fmt::format("Outside the model, {} time{}: {}\n", departure.count,
                             departure.count == 1 ? "" : "s", sentence_of(system, departure)),
                 Ink::kRed, style);
  }
  if (!watcher.good() && watcher.room()) out += room_text(system, *watcher.room()) + '\n';
  for (const std::string& note : watcher.notes()) out += note + '\n';
  return out;
}

void write_metrics(Metrics& metrics, const System& system, const trace::Observed& observed) {
  const auto tasks = [&](const auto& write) {
    for (const trace::ObservedTask& seen : observed.tasks)
      if (seen.took_part) write(seen, std::string_view(system.tasks[seen.task].name));
  };
  metrics.counter("tactus_deadline_misses", "Jobs that missed their deadline");
  tasks([&](const trace::ObservedTask& seen, std::string_view name) {
    metrics.whole({{"task", name}}, seen.misses);
  });
  metrics.gauge("tactus_longest_response_seconds", "The longest response until now");
  tasks([&](const trace::ObservedTask& seen, std::string_view name) {
    metrics.seconds({{"task", name}}, seen.longest.ns());
  });
  metrics.gauge("tactus_bound_seconds", "The response that is proved, where one is");
  tasks([&](const trace::ObservedTask& seen, std::string_view name) {
    if (seen.bound) metrics.seconds({{"task", name}}, seen.bound->ns());
  });
  metrics.gauge("tactus_deadline_seconds", "The deadline");
  tasks([&](const trace::ObservedTask& seen, std::string_view name) {
    if (seen.deadline) metrics.seconds({{"task", name}}, seen.deadline->ns());
  });
  metrics.gauge("tactus_latest_release_seconds", "The latest release after its arrival");
  tasks([&](const trace::ObservedTask& seen, std::string_view name) {
    if (seen.releases) metrics.seconds({{"task", name}}, seen.releases->latest.ns());
  });
  const auto nodes = [&](const auto& write) {
    for (const trace::ObservedNode& node : observed.nodes) {
      if (!node.label.empty())
        write(node, Metrics::Labels{{"task", system.tasks[node.task].name}, {"node", node.label}});
    }
  };
  metrics.counter("tactus_node_runs", "Runs of a node, or of nodes that are one segment");
  nodes([&](const trace::ObservedNode& node, Metrics::Labels labels) {
    metrics.whole(labels, node.runs);
  });
  metrics.counter("tactus_node_longer", "Runs that took longer than in the file");
  nodes([&](const trace::ObservedNode& node, Metrics::Labels labels) {
    metrics.whole(labels, node.over);
  });
  metrics.gauge("tactus_node_longest_seconds", "The longest run until now");
  nodes([&](const trace::ObservedNode& node, Metrics::Labels labels) {
    metrics.seconds(labels, node.longest.ns());
  });
  metrics.gauge("tactus_node_promised_seconds", "The time in the file");
  nodes([&](const trace::ObservedNode& node, Metrics::Labels labels) {
    if (node.bound) metrics.seconds(labels, node.bound->ns());
  });
}

void write_metrics(Metrics& metrics, const Watcher& watcher) {
  const System& system = watcher.system();
  const watch::Watch& seen = watcher.watch();
  const auto tasks = [&](const auto& write) {
    for (TaskIndex i = 0; i < system.tasks.size(); ++i)
      write(i, std::string_view(system.tasks[i].name));
  };
  write_metrics(metrics, system, seen.observed());
  metrics.gauge("tactus_covered",
                "1: its jobs are seen, and nothing its bound rests on left the model");
  tasks([&](TaskIndex i, std::string_view name) {
    if (!system.tasks[i].best_effort)
      metrics.whole({{"task", name}}, watcher.is_covered(i) ? 1 : 0);
  });
  metrics.counter("tactus_jobs", "Jobs with a bound, covered by it or outside the model");
  tasks([&](TaskIndex i, std::string_view name) {
    metrics.whole({{"task", name}, {"state", "covered"}}, seen.counted(i).covered);
    metrics.whole({{"task", name}, {"state", "outside"}}, seen.counted(i).outside);
  });
  metrics.counter("tactus_departures", "What left the model, by kind");
  for (int kind = 0; kind <= static_cast<int>(watch::kLastKind); ++kind) {
    const auto id = static_cast<Departure::Kind>(kind);
    std::vector<std::uint64_t> by_task(system.tasks.size() + 1);
    for (const Departure& one : seen.departures())
      if (one.kind == id) by_task[one.task.value_or(system.tasks.size())] += one.count;
    for (std::size_t i = 0; i < by_task.size(); ++i) {
      if (by_task[i] == 0) continue;
      const std::string name = i < system.tasks.size() ? system.tasks[i].name : "";
      metrics.whole({{"kind", watch::id_of(id)}, {"task", name}}, by_task[i]);
    }
  }
  metrics.gauge("tactus_room_ratio", "What the bound leaves of the deadline, with what was seen");
  tasks([&](TaskIndex i, std::string_view name) {
    if (const auto room = room_of(watcher, i)) metrics.ratio({{"task", name}}, *room);
  });
  metrics.histogram("tactus_response_seconds", "Responses of jobs");
  tasks([&](TaskIndex i, std::string_view name) {
    const trace::Histogram& of = seen.responses(i);
    metrics.buckets({{"task", name}}, of.kLimitsNs, of.counts, of.sum_ns);
  });
  metrics.histogram("tactus_segment_wait_seconds", "From asking for the GPU to having it");
  tasks([&](TaskIndex i, std::string_view name) {
    const trace::Histogram& of = seen.segments(i).waits;
    metrics.buckets({{"task", name}}, of.kLimitsNs, of.counts, of.sum_ns);
  });
  metrics.counter("tactus_segments_taken_off", "GPU segments whose work was held off for a while");
  tasks([&](TaskIndex i, std::string_view name) {
    metrics.whole({{"task", name}}, seen.segments(i).taken_off);
  });
  metrics.counter("tactus_segments_off_seconds", "For how long, in all");
  tasks([&](TaskIndex i, std::string_view name) {
    metrics.seconds({{"task", name}}, seen.segments(i).off.ns());
  });
  if (watcher.arbiter()) arbiter::client::write_metrics(metrics, *watcher.arbiter());
}

}  // namespace report

using namespace codec;  // the words of the table

namespace {

struct WatchedTask {
  const Watcher& watcher;
  TaskIndex index;

  const trace::ObservedTask& seen() const { return watcher.watch().observed().tasks[index]; }
};

struct Told {
  const Watcher& watcher;
  const Departure& departure;
};

std::vector<WatchedTask> tasks_of(const Watcher& watcher) {
  std::vector<WatchedTask> all;
  for (TaskIndex i = 0; i < watcher.system().tasks.size(); ++i) all.push_back({watcher, i});
  return all;
}

std::vector<Told> departures_of(const Watcher& watcher) {
  std::vector<Told> all;
  for (const Departure& one : watcher.watch().departures()) all.push_back({watcher, one});
  return all;
}

std::vector<trace::ObservedNode> nodes_of(const Watcher& watcher) {
  std::vector<trace::ObservedNode> all;
  for (const trace::ObservedNode& node : watcher.watch().observed().nodes)
    if (!node.label.empty()) all.push_back(node);
  return all;
}

std::vector<std::string_view> resting_on(const Told& told) {
  std::vector<std::string_view> names;
  const System& system = told.watcher.system();
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (system.tasks[i].best_effort) continue;
    if (!told.departure.task || told.watcher.watch().rests(i, *told.departure.task))
      names.push_back(system.tasks[i].name);
  }
  return names;
}

std::optional<std::string> room_share(const WatchedTask& task) {
  const auto left = report::room_of(task.watcher, task.index);
  return left ? std::optional(format_scaled(*left, 3)) : std::nullopt;
}

}  // namespace

template <>
std::span<const Field<trace::ObservedNode>> fields<trace::ObservedNode>();
template <>
std::span<const Field<trace::ObservedReleases>> fields<trace::ObservedReleases>();

template <>
std::span<const Field<WatchedTask>> fields<WatchedTask>() {
  using Owner = WatchedTask;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      always<&Owner::index, TaskName>("task", "Its name"),
      always<Line>("state", "Is it seen, and does its bound cover it?",
                   [](const Owner& t) { return report::state_of(t.watcher, t.index); }),
      always<Number>("jobs", "That were seen from their release to their end",
                     [](const Owner& t) { return t.watcher.watch().responses(t.index).count; }),
      always<Number>("covered", "Of these, by its bound",
                     [](const Owner& t) { return t.watcher.watch().counted(t.index).covered; }),
      always<Number>("outside",
                     "Of these, where something that its bound rests on was not as in the model",
                     [](const Owner& t) { return t.watcher.watch().counted(t.index).outside; }),
      always<TimeSeen>("longest", "The longest response",
                       [](const Owner& t) { return t.seen().longest; }),
      always<OrNull<TimeSeen>>("bound", "Of its response; null: none",
                               [](const Owner& t) { return t.seen().bound; }),
      always<OrNull<TimeSeen>>("deadline", "null: none",
                               [](const Owner& t) { return t.seen().deadline; }),
      always<Number>("misses", "Jobs that missed it",
                     [](const Owner& t) { return t.seen().misses; }),
      where_known<Object<trace::ObservedReleases>>(
          "releases", "How late it was released, if the file says how late it may be",
          [](const Owner& t) { return t.seen().releases; }),
      where_known<room_share, Decimal>(
          "room", "What the bound leaves of the deadline, with what was seen in place of the file"),
      always<Number>("segments", "GPU segments that were seen",
                     [](const Owner& t) { return t.watcher.watch().segments(t.index).count; }),
      always<TimeSeen>(
          "longest_wait", "For the GPU",
          [](const Owner& t) { return t.watcher.watch().segments(t.index).longest_wait; }),
      always<TimeSeen>("off", "For so long its GPU work was held off",
                       [](const Owner& t) { return t.watcher.watch().segments(t.index).off; }),
  });
  return kTable;
}

template <>
std::span<const Field<Told>> fields<Told>() {
  static constexpr auto kTable = std::to_array<Field<Told>>({
      always<Line>("kind", "A word for it",
                   [](const Told& told) { return watch::id_of(told.departure.kind); }),
      where_known<TaskName>("task", "Whose; none: of all",
                            [](const Told& told) { return told.departure.task; }),
      where_known<Line>("what", "The node, operation, process or condition",
                        [](const Told& told) { return std::string_view(told.departure.what); }),
      always<Line>(
          "text", "In words",
          [](const Told& told) { return sentence_of(told.watcher.system(), told.departure); }),
      always<Number>("count", "How often", [](const Told& told) { return told.departure.count; }),
      where_known<TimeSeen>("seen", "The worst",
                            [](const Told& told) { return told.departure.seen; }),
      where_known<TimeSeen>("promised", "What the file or the proof has",
                            [](const Told& told) { return told.departure.promised; }),
      always<resting_on, Lines>("rest_on_it", "Tasks whose bounds count on it"),
  });
  return kTable;
}

template <>
std::span<const Field<watch::SeenOperation>> fields<watch::SeenOperation>() {
  using Owner = watch::SeenOperation;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      always<&Owner::name, Line>("operation", "By the name of its cost in system files"),
      always<&Owner::longest, TimeSeen>("longest", "Since the arbiter was started"),
      where_known<&Owner::promised, TimeSeen>("promised", "In the file"),
  });
  return kTable;
}

template <>
std::span<const Field<Watcher>> fields<Watcher>() {
  static constexpr auto kTable = std::to_array<Field<Watcher>>({
      version<Watcher>(),
      kind<Watcher, "watched">(),
      system_name<Watcher>(),
      always<Line>("method", "The method whose bounds are relied on",
                   [](const Watcher& w) { return w.proof().method().id; }),
      always<Line>("variant", "Its variant",
                   [](const Watcher& w) { return std::string_view(w.proof().verdict().variant); }),
      always<TimeSeen>("watched", "For how long",
                       [](const Watcher& w) { return Time::from_ns(w.watched_ns()); }),
      always<Line>("status", "In one line", [](const Watcher& w) { return w.status(); }),
      always<Flag>("good", "Nothing has left the model", [](const Watcher& w) { return w.good(); }),
      always<tasks_of, Objects<WatchedTask, "task">>("tasks", "In the order of the file"),
      always<nodes_of, Objects<trace::ObservedNode, "node">>(
          "nodes", "Nodes, or nodes that are one segment of a program"),
      always<Objects<watch::SeenOperation, "operation">>(
          "operations", "Of the arbiter", [](const Watcher& w) { return w.watch().operations(); }),
      always<departures_of, Objects<Told, "departure">>("departures", "What has left the model"),
      where_known<Line>("room", "What the analysis says with what was seen",
                        [](const Watcher& w) {
                          return w.room() ? room_text(w.system(), *w.room()) : std::string();
                        }),
      always<Objects<decide::Condition, "condition">>(
          "conditions", "Of the start as it is now; empty until every task runs",
          [](const Watcher& w) { return w.conditions(); }),
      always<Lines>("notes", "What to know about it", [](const Watcher& w) { return w.notes(); }),
  });
  return kTable;
}

namespace report {

std::string watch_json(const Watcher& watcher) { return document_of(watcher.system(), watcher); }

std::string watched_schema() {
  return schema_of<Watcher>("watched",
                            "What was seen while a proof was relied on (tactus watch --json)");
}

}  // namespace report
}  // namespace tactus
