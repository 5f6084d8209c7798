#include <algorithm>
#include <array>

#include "tactus/methods/plan_document.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/checks.hpp"
#include "tactus/report/cover.hpp"
#include "tactus/report/end_to_end.hpp"
#include "tactus/report/headline.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/report/measured.hpp"

/// The document of `analyze --json`, object by object.
namespace tactus {

using namespace codec;  // the words of the tables below
using namespace report;

namespace {

std::optional<Position> known(Position at) { return at.known() ? std::optional(at) : std::nullopt; }

/// A term as a key. The part of an element is written under the element's own name, so that a
/// program need not know our labels.
std::string term_key(const Term& term, const System& system) {
  return term.label == "interference" && term.on != Term::kNoElement
             ? system.platform.elements[term.on].name
             : term_name(term, system);
}

/// A key may stand only once in an object: terms of one name are summed.
std::vector<std::pair<std::string, Time>> term_times(const System& system,
                                                     const TaskVerdict& task) {
  std::vector<std::pair<std::string, Time>> sums;
  for (const Term& term : task.terms) {
    std::string name = term_key(term, system);
    const auto same = std::find_if(sums.begin(), sums.end(),
                                   [&](const auto& entry) { return entry.first == name; });
    if (same == sums.end()) {
      sums.emplace_back(std::move(name), term.amount);
    } else {
      same->second += term.amount;
    }
  }
  return sums;
}

std::optional<Time> demand_of(const TaskVerdict& task) {
  if (task.conditional_bound || task.bound || task.terms.empty()) return std::nullopt;
  return total(task.terms);
}

template <Obstacle::Whose kWhose>
std::string_view name_of(const Obstacle& obstacle) {
  const bool lacks = obstacle.whose == kWhose && !obstacle.give.empty();
  return lacks ? std::string_view(obstacle.name) : std::string_view();
}

const std::vector<MissedJob>* missed_in(const Verdict& verdict) {
  const Method* method = find_method(verdict.method);
  const bool followed =
      method != nullptr && method->follows_jobs && verdict.status != Status::kNotApplicable;
  return followed || !verdict.missed.empty() ? &verdict.missed : nullptr;
}

/// The answer in front of all others, and how close it is to the edge.
struct Best {
  const Analysis& analysis;
  const decide::Standing& standing;
  const Verdict& verdict;
};

std::optional<Best> best_of(const Analysis& analysis) {
  const decide::Standing& best = analysis.best();
  if (best.group > decide::Group::kNotRunHere) return std::nullopt;
  return Best{analysis, best, analysis.verdicts[best.place]};
}

std::string share(std::int64_t permille) { return format_scaled(permille, 3); }

/// What the file deploys.
struct Deployed {
  std::string_view method, variant;
};

constexpr std::string_view kJudges[] = {"named", "any", "deployed"};
constexpr std::string_view kGroups[] = {"runs here", "not run here", "not proved", "undecided",
                                        "not applicable"};

/// Where one method stands with the system.
struct StandingRow {
  const decide::Standing& standing;
  const Verdict& verdict;
};

std::vector<StandingRow> standing_rows(const Analysis& analysis) {
  std::vector<StandingRow> all;
  for (const decide::Standing& standing : analysis.standings) {
    all.push_back({standing, analysis.verdicts[standing.place]});
  }
  return all;
}

}  // namespace

template <>
std::span<const Field<Position>> fields<Position>() {
  static constexpr auto kTable = std::to_array<Field<Position>>({
      always<&Position::line, Number>("line", "From 1"),
      always<&Position::column, Number>("column", "From 1"),
  });
  return kTable;
}

template <>
std::span<const Field<Obstacle>> fields<Obstacle>() {
  using Whose = Obstacle::Whose;
  static constexpr auto kTable = std::to_array<Field<Obstacle>>({
      always<&Obstacle::reason, Line>("reason", "What is in the way"),
      where_known<Object<Position>>("at", "Where in the file",
                                    [](const Obstacle& o) { return known(o.at); }),
      where_known<&Obstacle::give, Lines>("give", "Add one of these keys"),
      where_known<name_of<Whose::kElement>, Line>("element", "To this element"),
      where_known<name_of<Whose::kTask>, Line>("task", "Or to this task"),
      where_known<name_of<Whose::kNode>, Line>("node", "Or to this node"),
  });
  return kTable;
}

template <>
std::span<const Field<TaskVerdict>> fields<TaskVerdict>() {
  static constexpr auto kTable = std::to_array<Field<TaskVerdict>>({
      always<&TaskVerdict::task, TaskName>("task", "Its name"),
      always<&TaskVerdict::bound, OrNull<TimeSeen>>(
          "bound", "The proved bound of its response time; null: there is none"),
      always<&TaskVerdict::deadline, OrNull<TimeSeen>>("deadline", "Null: it has none"),
      always<&TaskVerdict::schedulable, Flag>("schedulable", "Is its deadline proved?"),
      where_known<&TaskVerdict::latency, TimeSeen>(
          "latency",
          "At the end of a path of `after`: from the arrival of its first task to the end of this "
          "one, at most"),
      where_known<&TaskVerdict::conditional_bound, TimeSeen>(
          "conditional_bound",
          "The bound that it has if the tasks before it without a bound meet their deadlines"),
      where_known<demand_of, TimeSeen>("demand",
                                       "Without a bound: what first exceeded the deadline"),
      where_known<&TaskVerdict::note, Line>("note", "Why there is no bound, or on what it depends"),
      always<term_times, ByName<TimeSeen>>("terms", "What the bound, or the demand, is the sum of"),
  });
  return kTable;
}

template <>
std::span<const Field<MissedJob>> fields<MissedJob>() {
  static constexpr auto kTable = std::to_array<Field<MissedJob>>({
      always<&MissedJob::task, TaskName>("task", "Its task"),
      always<&MissedJob::job, Number>("job", "Its number, from 0"),
      always<&MissedJob::deadline, SignedTime>("deadline", "When it should have ended"),
      always<&MissedJob::finish, SignedTime>("finish", "When it ends"),
  });
  return kTable;
}

template <>
std::span<const Field<Verdict>> fields<Verdict>() {
  static constexpr auto kTable = std::to_array<Field<Verdict>>({
      always<&Verdict::method, Line>("method", "Its id, as `tactus methods` lists it"),
      always<&Verdict::variant, Line>("variant", "Which variant of it"),
      always<&Verdict::status, AnyStatus>("status", "What it says of the whole system"),
      where_known<&Verdict::reason, Line>("reason", "Why, when it is undecided or not applicable"),
      where_known<Object<Position>>("at", "Where in the file",
                                    [](const Verdict& v) { return known(v.at); }),
      where_known<List<Object<Obstacle>>>(
          "obstacles", "Everything that keeps the method from applying",
          [](const Verdict& v) {
            return v.status == Status::kNotApplicable ? &v.obstacles : nullptr;
          }),
      where_known<Number>("more_obstacles", "How many there are beyond those",
                          [](const Verdict& v) {
                            return v.status == Status::kNotApplicable ? v.more_obstacles : 0;
                          }),
      always<&Verdict::warnings, Lines>("warnings", "What to know before it is relied on"),
      always<&Verdict::notes, Lines>("notes", "What was derived because the file does not say it"),
      always<&Verdict::tasks, Objects<TaskVerdict, "task">>(
          "tasks", "The real-time tasks in the order of the file"),
      where_known<chain_rows, List<Object<ChainRow>>>("chains", kChainsDoc),
      where_known<missed_in, Objects<MissedJob, "job">>(
          "missed", "Jobs that a simulated schedule ends too late"),
      {"", false, "What else the method has found", nullptr,
       [](json::Writer& out, std::string_view, const System&, const Verdict& verdict) {
         for (const Figure& figure : verdict.figures) out.key(figure.name).number(figure.value);
       },
       [](json::Writer& out) {
         out.key("type").begin_array().string("number").string("object").end_array();
       }},
      where_known<AnyPlan>("plan", "The plan that the method made",
                           [](const Verdict& v) { return v.plan ? &v : nullptr; }),
  });
  return kTable;
}

template <>
std::span<const Field<Deployed>> fields<Deployed>() {
  static constexpr auto kTable = std::to_array<Field<Deployed>>({
      always<&Deployed::method, Line>("method", "Its id"),
      always<&Deployed::variant, Line>("variant", "Which variant of it"),
  });
  return kTable;
}

template <>
std::span<const Field<decide::Growth>> fields<decide::Growth>() {
  using decide::Growth;
  static constexpr auto kTable = std::to_array<Field<Growth>>({
      always<&Growth::task, TaskName>("task", "Its task"),
      always<Line>("node", "The node",
                   [](const System& system, const Growth& growth) {
                     return std::string_view(system.tasks[growth.task].nodes[growth.node].name);
                   }),
      always<Decimal>("by", "As a part of its time",
                      [](const Growth& growth) { return share(growth.permille); }),
      where_known<&Growth::breaks, TaskName>("then_late", "The task that is late first"),
  });
  return kTable;
}

template <>
std::span<const Field<Best>> fields<Best>() {
  static constexpr auto kTable = std::to_array<Field<Best>>({
      always<Line>("method", "Its id",
                   [](const Best& b) { return b.analysis.method(b.standing.place).id; }),
      always<Line>("variant", "Which variant of it",
                   [](const Best& b) { return std::string_view(b.verdict.variant); }),
      always<Flag>("runs_here", "Does tactus run its plans on this system?",
                   [](const Best& b) { return b.standing.group == decide::Group::kRunnable; }),
      always<OrNull<AnyWay>>("run_by", "What runs it",
                             [](const Best& b) { return b.standing.way; }),
      where_known<Line>("why_not", "Where it does not: why",
                        [](const Best& b) { return std::string_view(b.standing.why_not); }),
      where_known<Object<decide::Cover>>(
          "cover", kCoverDoc,
          [](const System& system, const Best& b) { return decide::cover_of(system, b.verdict); }),
      where_known<List<Object<decide::NeverRun>>>(
          "never_run", kNeverRunDoc,
          [](const System& system, const Best& b) { return decide::never_run(system, b.verdict); }),
      where_known<Decimal>(
          "least_slack", "Of all tasks, as a part of the deadline",
          [](const Best& b) { return b.standing.least ? share(b.standing.least->permille) : ""; }),
      where_known<Line>(
          "limited_by", "The task with that slack",
          [](const Best& b) { return b.standing.least ? b.standing.least->whose : std::string(); }),
      where_known<List<Object<decide::Growth>>>("may_grow",
                                                "How far the times of single nodes may grow",
                                                [](const Best& b) { return b.analysis.growth; }),
  });
  return kTable;
}

template <>
std::span<const Field<StandingRow>> fields<StandingRow>() {
  static constexpr auto kTable = std::to_array<Field<StandingRow>>({
      always<Line>("method", "Its id",
                   [](const StandingRow& row) { return std::string_view(row.verdict.method); }),
      always<Line>("variant", "Which variant of it",
                   [](const StandingRow& row) { return std::string_view(row.verdict.variant); }),
      always<OneOf<"runs here", "not run here", "not proved", "undecided", "not applicable">>(
          "group", "Is every deadline proved, and does tactus run it here?",
          [](const StandingRow& row) {
            return kGroups[static_cast<std::size_t>(row.standing.group)];
          }),
      always<OrNull<AnyWay>>("run_by", "What runs it",
                             [](const StandingRow& row) { return row.standing.way; }),
  });
  return kTable;
}

template <>
std::span<const Field<Analysis>> fields<Analysis>() {
  static constexpr auto kTable = std::to_array<Field<Analysis>>({
      version<Analysis>(),
      kind<Analysis, "verdict">(),
      system_name<Analysis>(),
      changes_field<Analysis>(),
      always<Word<TimeUnit>>(
          "time_unit", "The unit of every time here",
          [](const System& system, const Analysis&) { return system.time_unit; }),
      always<OneOf<"named", "any", "deployed">>(
          "judged_by",
          "Whose answer counts: the deployed method's, any method's (one proof is enough), or that "
          "of every named method",
          [](const Analysis& a) { return kJudges[static_cast<std::size_t>(a.judged_by)]; }),
      where_known<Object<Deployed>>(
          "deployed", "The method that the file deploys",
          [](const Analysis& a) {
            if (a.judged_by != JudgedBy::kDeployed) return std::optional<Deployed>();
            const Verdict& verdict = a.verdicts[a.deployed];
            return std::optional(Deployed{verdict.method, verdict.variant});
          }),
      always<judgement, AnyStatus>("status", "The answer that counts"),
      always<headline_of, Object<Headline>>("headline", "What to say first"),
      always<best_of, OrNull<Object<Best>>>(
          "best", "The method to deploy; null: none proves every deadline"),
      where_known<Object<Checks>>(
          "min_slack", "What --min-slack asked for",
          [](const Analysis& a) { return a.checks && a.checks->min_slack ? a.checks : nullptr; }),
      where_known<Object<Comparison>>("baseline", "The comparison with --baseline",
                                      [](const Analysis& a) {
                                        return a.checks && a.checks->comparison
                                                   ? &*a.checks->comparison
                                                   : nullptr;
                                      }),
      always<List<Object<MeasuredTimes>>>(
          "measured", "Nodes whose times were measured, and how",
          [](const System& system, const Analysis&) { return measured_times(system); }),
      always<List<OpenObject<Verdict>>>("methods", "In the order of `tactus methods`",
                                        [](const Analysis& a) { return a.asked_verdicts(); }),
      where_known<List<OpenObject<Verdict>>>(
          "deployable", "The same methods in the variants that tactus runs",
          [](const Analysis& a) { return a.deployable_verdicts(); }),
      always<standing_rows, List<Object<StandingRow>>>("standings", "All of those, the best first"),
  });
  return kTable;
}

namespace report {

std::string analysis_json(const Analysis& analysis) {
  return document_of(analysis.system, analysis);
}

std::string verdict_schema() {
  return schema_of<Analysis>("verdict", "What Tactus proves of a system (tactus analyze --json)");
}

}  // namespace report
}  // namespace tactus
