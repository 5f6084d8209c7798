#include "tactus/report/reserve.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "tactus/report/changes.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus {

using reserve::Answer, reserve::DryRun;

namespace report {
namespace {

std::string shown(const System& system, Time time) { return format_time(time, system.time_unit); }

std::string percent(std::int64_t thousandths) { return format_scaled(thousandths, 1) + " %"; }

std::string admitted_text(const System& system, const DryRun::Request& request) {
  const Task& task = system.tasks[request.task];
  std::string out = fmt::format("admitted: response at most {} of {}",
                                shown(system, *request.bound), shown(system, *task.deadline));
  if (!request.answer.trusts.empty()) {
    out +=
        fmt::format("; trusts {} on core {}", fmt::join(request.answer.trusts, ", "), *task.core);
  }
  return out;
}

std::string refused_text(const System& system, const DryRun::Request& request) {
  std::string out = "refused";
  if (const auto& late = request.answer.late) {
    out += fmt::format(": {} could be late, {} of {}", late->task, shown(system, late->at_least),
                       shown(system, late->deadline));
  }
  if (request.answer.cut_short) out += "; not everything was tried";
  if (!request.instead) return out;
  const reserve::Instead& instead = *request.instead;
  std::vector<std::string> ways;
  if (instead.period) ways.push_back("with period " + shown(system, *instead.period));
  if (instead.gpu_thousandths) {
    ways.push_back(fmt::format("with {} of its GPU time", percent(*instead.gpu_thousandths)));
  }
  if (instead.core) ways.push_back(fmt::format("on core {}", *instead.core));
  return out + (ways.empty() ? "; no other period, GPU time or core was found that alone would do"
                             : fmt::format("; would be admitted {}", fmt::join(ways, ", or ")));
}

std::string answer_text(const System& system, const DryRun::Request& request) {
  switch (request.answer.kind) {
    case Answer::Kind::kAdmitted:
      return admitted_text(system, request);
    case Answer::Kind::kRefused:
      return refused_text(system, request);
    case Answer::Kind::kNotCovered:
      break;
  }
  return "not covered: " + request.answer.not_covered->reason;
}

Table standings_table(const System& system, const DryRun& run) {
  Table table({{"task"},
               {"core", Align::kRight},
               {"bound", Align::kRight},
               {"deadline", Align::kRight},
               {"room", Align::kRight},
               {"taken off by"}});
  std::vector<std::string> gpu_tasks;
  for (const DryRun::Standing& standing : run.standings) {
    const Task& task = system.tasks[standing.task];
    std::size_t most = 0;
    for (const std::size_t limit : standing.cuts) most = std::max(most, limit);
    std::string by = standing.cuts.empty() ? "-" : "nobody";
    if (most > 0) by = fmt::format("{}", fmt::join(std::span(gpu_tasks).first(most), ", "));
    table.add({task.name, std::to_string(*task.core), shown(system, standing.bound),
               shown(system, *task.deadline), percent(reserve::room_of(task, standing.enforced)),
               by});
    if (!standing.cuts.empty()) gpu_tasks.push_back(task.name);
  }
  return table;
}

}  // namespace

std::string reserve_text(const System& system, const DryRun& run, const Style& style) {
  std::string out =
      fmt::format("Requests of {}, one after the other: {} of {} would be admitted\n", system.name,
                  run.count(Answer::Kind::kAdmitted), run.requests.size());
  for (const DryRun::Request& request : run.requests) {
    out += paragraph(fmt::format("  {}: ", system.tasks[request.task].name),
                     answer_text(system, request), style);
  }
  if (const Table table = standings_table(system, run); !table.empty()) {
    out += '\n' + table.render(style, "  ");
  }
  if (const auto least = run.least_room(system)) {
    out += fmt::format("\nLeast room: {} {}\n", system.tasks[least->task].name,
                       percent(least->thousandths));
  }
  out += '\n' +
         paragraph("dry: ",
                   fmt::format("nothing is reserved. {}; the arbiter has a core of its "
                               "own",
                               run.rules.enforced ? "GPU segments count as taken off when they are "
                                                    "too long"
                                                  : "GPU times are trusted"),
                   style);
  if (run.stopped) out += "Stopped early: not all have asked.\n";
  return out;
}

}  // namespace report

using namespace codec;  // the words of the tables

namespace {

struct ReserveDocument {
  const DryRun& run;
  std::span<const decide::Change> changes;
};

struct TermRow {
  const Term& term;
  const std::vector<std::string>& beside;
};

std::vector<TermRow> terms_of(const DryRun::Request& request) {
  std::vector<TermRow> rows;
  for (const Term& term : request.answer.terms) rows.push_back({term, request.answer.beside});
  return rows;
}

}  // namespace

template <>
std::span<const Field<TermRow>> fields<TermRow>() {
  static constexpr auto kTable = std::to_array<Field<TermRow>>({
      always<Line>("label", "What it stands for",
                   [](const TermRow& row) { return row.term.label; }),
      where_known<Line>("by", "The task that causes it",
                        [](const TermRow& row) {
                          return row.term.by < row.beside.size()
                                     ? std::string_view(row.beside[row.term.by])
                                     : std::string_view();
                        }),
      always<TimeSeen>("amount", "Its part of what the task is held to",
                       [](const TermRow& row) { return row.term.amount; }),
  });
  return kTable;
}

template <>
std::span<const Field<Answer::Late>> fields<Answer::Late>() {
  static constexpr auto kTable = std::to_array<Field<Answer::Late>>({
      always<&Answer::Late::task, Line>("task", "Its name"),
      always<&Answer::Late::at_least, TimeSeen>("at_least",
                                                "What it would need first exceeds its deadline"),
      always<&Answer::Late::deadline, TimeSeen>("deadline", "Its deadline"),
  });
  return kTable;
}

template <>
std::span<const Field<reserve::Instead>> fields<reserve::Instead>() {
  using reserve::Instead;
  static constexpr auto kTable = std::to_array<Field<Instead>>({
      where_known<&Instead::period, TimeSeen>("period", "The smallest that was admitted"),
      where_known<Decimal>("gpu_share", "The longest share of its GPU time that was admitted",
                           [](const Instead& instead) {
                             return instead.gpu_thousandths
                                        ? std::optional(format_scaled(*instead.gpu_thousandths, 3))
                                        : std::nullopt;
                           }),
      where_known<&Instead::core, AnyInteger>("core", "Another core on which it is admitted"),
  });
  return kTable;
}

template <>
std::span<const Field<DryRun::Request>> fields<DryRun::Request>() {
  using Owner = DryRun::Request;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      always<&Owner::task, TaskName>("task", "Which one asks"),
      always<OneOf<"admitted", "refused", "not-covered">>(
          "answer", "What it would be told",
          [](const Owner& request) {
            static constexpr std::string_view kWords[] = {"admitted", "refused", "not-covered"};
            return kWords[static_cast<std::size_t>(request.answer.kind)];
          }),
      where_known<&Owner::bound, TimeSeen>("bound", "Its response is at most this"),
      where_known<terms_of, List<Object<TermRow>>>("terms", "What it is held to, in summands"),
      where_known<Lines>("trusts", "Tasks on its core that nobody holds to their CPU time",
                         [](const Owner& request) { return request.answer.trusts; }),
      where_known<Object<Answer::Late>>("late",
                                        "Who is late first, at the deadline-monotonic place",
                                        [](const Owner& request) { return request.answer.late; }),
      where_known<Object<reserve::Instead>>(
          "instead", "What would be admitted instead; each value was tried",
          [](const Owner& request) {
            return request.instead && request.instead->any() ? request.instead : std::nullopt;
          }),
      where_known<Flag>("cut_short", "Not everything was tried",
                        [](const Owner& request) { return request.answer.cut_short; }),
      where_known<Line>("reason", "Why it is not covered",
                        [](const Owner& request) {
                          return request.answer.not_covered ? request.answer.not_covered->reason
                                                            : std::string();
                        }),
  });
  return kTable;
}

template <>
std::span<const Field<DryRun::Standing>> fields<DryRun::Standing>() {
  using Owner = DryRun::Standing;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      always<&Owner::task, TaskName>("task", "Who has it"),
      always<&Owner::bound, TimeSeen>("bound", "Its response is at most this"),
      always<TimeSeen>("held_to", "When its job must be done, counted from its arrival",
                       [](const Owner& standing) { return standing.enforced.response; }),
      always<List<TimeSeen>>("segments_held_to", "The same of each GPU segment",
                             [](const Owner& standing) { return standing.enforced.completions; }),
      always<&Owner::cuts, List<Number>>(
          "cuts", "Of each GPU segment: so many GPU tasks from the top take it off"),
  });
  return kTable;
}

template <>
std::span<const Field<ReserveDocument>> fields<ReserveDocument>() {
  using Owner = ReserveDocument;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      version<Owner>(),
      kind<Owner, "reservations">(),
      system_name<Owner>(),
      report::changes_field<Owner>(),
      always<Flag>("dry", "Nothing is reserved", [](const Owner&) { return true; }),
      always<OneOf<"suspend", "busy">>("waiting", "What a CPU does while the GPU works",
                                       [](const Owner& d) { return to_string(d.run.rules.mode); }),
      always<Flag>("enforced", "Are GPU segments held to their lengths?",
                   [](const Owner& d) { return d.run.rules.enforced; }),
      always<TimeSeen>("notice", "From a violation to the decision, at most",
                       [](const Owner& d) { return d.run.rules.notice; }),
      always<Flag>("cpu_trusted", "Does nobody hold them to their CPU time?",
                   [](const Owner& d) { return d.run.rules.cpu_trusted; }),
      always<Objects<DryRun::Request, "request">>("requests", "In the order of the file",
                                                  [](const Owner& d) { return d.run.requests; }),
      always<Objects<DryRun::Standing, "reservation">>(
          "reservations", "Who has one then, the most urgent first",
          [](const Owner& d) { return d.run.standings; }),
      always<Flag>("stopped", "Before all had asked", [](const Owner& d) { return d.run.stopped; }),
  });
  return kTable;
}

namespace report {

std::string reserve_json(const System& system, const DryRun& run,
                         std::span<const decide::Change> changes) {
  return document_of(system, ReserveDocument{run, changes});
}

std::string reservations_schema() {
  return schema_of<ReserveDocument>("reservations",
                                    "Answers to requests for reservations (tactus reserve --json)");
}

}  // namespace report
}  // namespace tactus
