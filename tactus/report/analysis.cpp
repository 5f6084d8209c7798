#include "tactus/report/analysis.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/decide/reach.hpp"
#include "tactus/report/obstacles.hpp"

namespace tactus::report {

const decide::Standing& Analysis::best() const {
  if (judged_by != JudgedBy::kDeployed) return standings.front();
  return *std::find_if(standings.begin(), standings.end(), [&](const decide::Standing& standing) {
    return standing.place == deployed;
  });
}

bool Analysis::is_shown(const decide::Standing& standing) const {
  using decide::Group;
  constexpr std::ptrdiff_t kNearest = 3;
  if (all) return true;
  if (standing.group == Group::kRunnable || &standing == &best()) return true;
  return standings.front().group != Group::kRunnable && &standing - standings.data() < kNearest;
}

Status judgement(const Analysis& analysis) {
  if (analysis.judged_by == JudgedBy::kDeployed) return analysis.verdicts[analysis.deployed].status;
  const auto any = [&](Status status) {
    const auto asked = analysis.asked_verdicts();
    return std::any_of(asked.begin(), asked.end(),
                       [&](const Verdict& verdict) { return verdict.status == status; });
  };
  const bool no = any(Status::kUnschedulable);
  if (analysis.judged_by == JudgedBy::kAny) {
    // A proof of what tactus runs here is one, too.
    const bool yes = any(Status::kSchedulable) || analysis.best().group == decide::Group::kRunnable;
    return yes ? Status::kSchedulable : no ? Status::kUnschedulable : Status::kUndecided;
  }
  if (no) return Status::kUnschedulable;
  const bool unknown = any(Status::kUndecided) || any(Status::kNotApplicable);
  return unknown ? Status::kUndecided : Status::kSchedulable;
}

std::string term_name(const Term& term, const System& system) {
  if (term.on != Term::kNoElement) {
    return fmt::format("{} on {}", term.label, system.platform.elements[term.on].name);
  }
  if (term.by == Term::kNoTask) return std::string(term.label);
  return fmt::format("{} by {}", term.label, system.tasks[term.by].name);
}

Time total(std::span<const Term> terms) {
  Time sum;
  for (const Term& term : terms) sum += term.amount;
  return sum;
}

std::string largest_terms(const TaskVerdict& task, const System& system) {
  constexpr std::size_t kShown = 3;
  std::vector<const Term*> terms;
  for (const Term& term : task.terms) {
    if (term.amount > Time()) terms.push_back(&term);
  }
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term* a, const Term* b) { return a->amount > b->amount; });
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, terms.size()); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", term_name(*terms[i], system),
                       format_time(terms[i]->amount, system.time_unit));
  }
  return out;
}

std::string why_no_bound(const TaskVerdict& task, const System& system) {
  const auto shown = [&](Time time) { return format_time(time, system.time_unit); };
  if (task.bound && task.schedulable) return {};
  if (task.terms.empty()) return std::string(task.note);
  std::string terms = largest_terms(task, system);
  if (task.bound) return terms;
  if (task.conditional_bound) {
    return fmt::format("({}), {}", shown(*task.conditional_bound), task.note);
  }
  return fmt::format("needs {} > {}{}{}: {}", shown(total(task.terms)),
                     task.deadline ? shown(*task.deadline) : "any", task.note.empty() ? "" : ", ",
                     task.note, terms);
}

std::string why_not_proved(const Verdict& verdict, const System& system) {
  const decide::Breaks breaks = decide::breaks_of(verdict);
  for (const TaskVerdict& task : verdict.tasks) {
    if (task.task != breaks.task || task.terms.empty()) continue;
    if (task.bound) {
      return fmt::format("the bound of {} is {}, its deadline {}: {}", system.tasks[task.task].name,
                         format_time(*task.bound, system.time_unit),
                         format_time(task.deadline.value_or(Time()), system.time_unit),
                         why_no_bound(task, system));
    }
    return fmt::format("{} {}", system.tasks[task.task].name, why_no_bound(task, system));
  }
  if (!verdict.reason.empty()) return with_place(verdict.reason, verdict.at);
  if (!verdict.missed.empty()) return missed_text(verdict.missed.front(), system);
  return breaks.task ? fmt::format("{} is not in time", system.tasks[*breaks.task].name) : "";
}

std::string missed_text(const MissedJob& missed, const System& system) {
  return fmt::format("job {} of {} ends at {}, its deadline is {}", missed.job,
                     system.tasks[missed.task].name, format_time(missed.finish, system.time_unit),
                     format_time(missed.deadline, system.time_unit));
}

std::string percent_text(std::int64_t permille) {
  constexpr std::int64_t kTenPercent = 100;
  return fmt::format(
      "{} %", permille >= kTenPercent ? std::to_string(permille / 10) : format_scaled(permille, 1));
}

std::string with_unit(std::string_view title, const System& system) {
  static constexpr std::string_view kNames[] = {" [ns]", " [us]", " [ms]", " [s]", ""};
  return std::string(title).append(kNames[static_cast<std::size_t>(system.time_unit)]);
}

}  // namespace tactus::report
