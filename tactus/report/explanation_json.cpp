#include <algorithm>
#include <array>

#include "tactus/methods/plan_document.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/explanation.hpp"
#include "tactus/report/how.hpp"
#include "tactus/report/json/schemas.hpp"

/// The document of `analyze --explain TASK --json`.
namespace tactus {

using namespace codec;  // the words of the tables
using report::Analysis, report::total;

namespace {

struct Explained {
  TaskIndex of;
  const Term& term;

  std::optional<Time> where_counted(Time time) const {
    return term.jobs != 0 ? std::optional(time) : std::nullopt;
  }
  std::optional<Time> where_periodic(Time time) const {
    return term.period != Time() ? where_counted(time) : std::nullopt;
  }
};

/// What one method says of the task.
struct Answer {
  TaskIndex of;
  const Verdict& verdict;
  const TaskVerdict& own;
};

std::string_view why(const Answer& answer) {
  if (answer.own.bound) return {};
  return answer.own.note.empty() ? std::string_view(answer.verdict.reason) : answer.own.note;
}

std::vector<Explained> explained_terms(const Answer& answer) {
  std::vector<Explained> terms;
  for (const Term& term : answer.own.terms) terms.push_back({answer.of, term});
  return terms;
}

struct Explanation {
  const Analysis& analysis;
  TaskIndex task;
  std::span<const decide::Change> changes = analysis.changes;
};

std::vector<Answer> answers_of(const Explanation& explanation) {
  static const TaskVerdict kNothing;
  std::vector<Answer> answers;
  for (const Verdict& verdict : explanation.analysis.asked_verdicts()) {
    const auto found =
        std::find_if(verdict.tasks.begin(), verdict.tasks.end(),
                     [&](const TaskVerdict& entry) { return entry.task == explanation.task; });
    answers.push_back(
        {explanation.task, verdict, found == verdict.tasks.end() ? kNothing : *found});
  }
  return answers;
}

}  // namespace

template <>
std::span<const Field<Explained>> fields<Explained>() {
  static constexpr auto kTable = std::to_array<Field<Explained>>({
      always<Line>("term", "What it stands for", [](const Explained& e) { return e.term.label; }),
      where_known<TaskName>("by", "The task that causes it",
                            [](const Explained& e) {
                              return e.term.by == Term::kNoTask ? std::nullopt
                                                                : std::optional(e.term.by);
                            }),
      where_known<ElementName>("on", "The element where it arises",
                               [](const Explained& e) {
                                 return e.term.on == Term::kNoElement ? std::nullopt
                                                                      : std::optional(e.term.on);
                               }),
      always<TimeSeen>("amount", "Of the sum", [](const Explained& e) { return e.term.amount; }),
      always<Line>("how", "How it was computed, in words and numbers",
                   [](const System& system, const Explained& e) {
                     return report::how_text(e.term, system.tasks[e.of], system);
                   }),
      where_known<Number>("count", "How many", [](const Explained& e) { return e.term.jobs; }),
      where_known<TimeSeen>("each", "And how long each is",
                            [](const Explained& e) { return e.where_counted(e.term.each); }),
      where_known<TimeSeen>("period", "The count is ceil((R + jitter) / period)",
                            [](const Explained& e) { return e.where_periodic(e.term.period); }),
      where_known<TimeSeen>("jitter", "Of that formula",
                            [](const Explained& e) { return e.where_periodic(e.term.jitter); }),
  });
  return kTable;
}

template <>
std::span<const Field<Answer>> fields<Answer>() {
  static constexpr auto kTable = std::to_array<Field<Answer>>({
      always<Line>("method", "Its id",
                   [](const Answer& a) { return std::string_view(a.verdict.method); }),
      always<Line>("variant", "Which variant of it",
                   [](const Answer& a) { return std::string_view(a.verdict.variant); }),
      always<AnyStatus>("status", "Of the whole system",
                        [](const Answer& a) { return a.verdict.status; }),
      always<OrNull<TimeSeen>>("bound", "Null: there is none",
                               [](const Answer& a) { return a.own.bound; }),
      where_known<TimeSeen>("conditional_bound",
                            "The bound if the tasks before it without one meet their deadlines",
                            [](const Answer& a) { return a.own.conditional_bound; }),
      always<OrNull<TimeSeen>>("deadline", "Null: it has none",
                               [](const Answer& a) { return a.own.deadline; }),
      where_known<why, Line>("why", "Why there is no bound"),
      always<TimeSeen>("sum", "Of the terms", [](const Answer& a) { return total(a.own.terms); }),
      always<explained_terms, List<Object<Explained>>>("terms", "What they are"),
  });
  return kTable;
}

template <>
std::span<const Field<Explanation>> fields<Explanation>() {
  static constexpr auto kTable = std::to_array<Field<Explanation>>({
      version<Explanation>(),
      kind<Explanation, "explanation">(),
      system_name<Explanation>(),
      report::changes_field<Explanation>(),
      always<Word<TimeUnit>>(
          "time_unit", "The unit of every time here",
          [](const System& system, const Explanation&) { return system.time_unit; }),
      always<&Explanation::task, TaskName>("task", "Whose bound"),
      always<answers_of, List<Object<Answer>>>("methods", "What each says of it"),
  });
  return kTable;
}

namespace report {

std::string explanation_json(const Analysis& analysis, TaskIndex task) {
  return document_of(analysis.system, Explanation{analysis, task});
}

std::string explanation_schema() {
  return schema_of<Explanation>(
      "explanation", "What the bound of a task is made of (tactus analyze --explain TASK --json)");
}

}  // namespace report
}  // namespace tactus
