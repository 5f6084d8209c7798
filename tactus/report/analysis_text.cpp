#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tactus/methods/needs.hpp"
#include "tactus/model/diagnostic.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/how.hpp"
#include "tactus/report/measured.hpp"
#include "tactus/report/obstacles.hpp"
#include "tactus/report/plan.hpp"
#include "tactus/report/table.hpp"

namespace tactus::report {
namespace {

constexpr std::string_view kIndent = "  ";

std::string unit_name(const System& system) {
  static constexpr std::string_view kNames[] = {"ns", "us", "ms", "s", ""};
  return std::string(kNames[static_cast<std::size_t>(system.time_unit)]);
}

Cell status_cell(Status status) {
  switch (status) {
    case Status::kSchedulable:
      return {"schedulable", Ink::kGreen};
    case Status::kUnschedulable:
      return {"NOT schedulable", Ink::kRed};
    case Status::kUndecided:
      return {"undecided", Ink::kYellow};
    case Status::kNotApplicable:
      return {"not applicable", Ink::kDim};
  }
  return {""};
}

/// The part of the deadline that is left, as a bar of ten and a percentage.
std::string slack_bar(Time bound, Time deadline, const Style& style) {
  constexpr std::int64_t kCells = 10;
  const auto percent = static_cast<std::int64_t>(static_cast<__int128>((deadline - bound).ns()) *
                                                 100 / deadline.ns());
  const std::int64_t filled = (percent * kCells + 99) / 100;
  std::string bar;
  for (std::int64_t i = 0; i < kCells; ++i) {
    bar += i < filled ? (style.unicode ? "█" : "#") : (style.unicode ? "░" : ".");
  }
  return fmt::format("{} {:>3} %", bar, percent);
}

/// The largest terms, most first: why a bound is what it is.
std::string largest_terms(const TaskVerdict& task, const System& system) {
  constexpr std::size_t kShown = 3;
  std::vector<const Term*> terms;
  for (const Term& term : task.terms) terms.push_back(&term);
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term* a, const Term* b) { return a->amount > b->amount; });
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, terms.size()); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", term_name(*terms[i], system),
                       format_time(terms[i]->amount, system.time_unit));
  }
  return out;
}

Table task_table(const Verdict& verdict, const System& system, const Style& style) {
  const std::string unit = unit_name(system);
  const auto titled = [&](std::string_view title) {
    return unit.empty() ? std::string(title) : fmt::format("{} [{}]", title, unit);
  };
  Table table({{"task"},
               {titled("bound"), Align::kRight},
               {titled("deadline"), Align::kRight},
               {"slack"},
               {"why"}});
  for (const TaskVerdict& task : verdict.tasks) {
    const std::string deadline =
        task.deadline ? format_time(*task.deadline, system.time_unit) : "none";
    if (task.bound) {
      const Cell bound{format_time(*task.bound, system.time_unit),
                       task.schedulable ? Ink::kPlain : Ink::kRed};
      const bool has_slack = task.deadline && *task.bound <= *task.deadline;
      table.add({system.tasks[task.task].name, bound, deadline,
                 has_slack ? slack_bar(*task.bound, *task.deadline, style) : "",
                 task.schedulable ? "" : largest_terms(task, system)});
    } else if (!task.terms.empty()) {
      table.add({system.tasks[task.task].name,
                 {"none", Ink::kRed},
                 deadline,
                 "",
                 fmt::format("needs {} > {}: {}", format_time(total(task.terms), system.time_unit),
                             deadline, largest_terms(task, system))});
    } else {
      table.add({system.tasks[task.task].name,
                 {"none", task.schedulable ? Ink::kPlain : Ink::kRed},
                 deadline,
                 "",
                 {task.note, Ink::kDim}});
    }
  }
  return table;
}

std::string method_block(const Method& method, const Verdict& verdict, const System& system,
                         const Style& style) {
  const Cell status = status_cell(verdict.status);
  std::string out = fmt::format("{} ({}): {}\n", inked(method.id, Ink::kBold, style),
                                verdict.variant, inked(status.text, status.ink, style));
  const Table table = task_table(verdict, system, style);
  if (!table.empty()) out += table.render(style, kIndent);
  if (!verdict.reason.empty())
    out += fmt::format("{}{}\n", kIndent, with_place(verdict.reason, verdict.at));
  constexpr std::size_t kMostMissed = 10;
  for (std::size_t i = 0; i < std::min(kMostMissed, verdict.missed.size()); ++i) {
    const MissedJob& missed = verdict.missed[i];
    out += fmt::format("{}job {} of {} ends at {}, its deadline is {}\n", kIndent, missed.job,
                       system.tasks[missed.task].name, format_time(missed.finish, system.time_unit),
                       format_time(missed.deadline, system.time_unit));
  }
  if (verdict.missed.size() > kMostMissed) {
    out += fmt::format("{}and {} more late jobs\n", kIndent, verdict.missed.size() - kMostMissed);
  }
  for (const Figure& figure : verdict.figures) {
    out += fmt::format("{}{}: {}\n", kIndent, figure.name, figure.value);
  }
  for (const std::string& warning : verdict.warnings) {
    out += fmt::format("{}{} {}\n", kIndent, inked("warning:", Ink::kYellow, style), warning);
  }
  return out;
}

/// What methods derived because the file does not state it; most methods derive the same.
std::string notes_text(const Analysis& analysis, const Style& style) {
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> notes;
  for (const Verdict& verdict : analysis.verdicts) {
    for (const std::string& note : verdict.notes) {
      auto same = std::find_if(notes.begin(), notes.end(),
                               [&](const auto& entry) { return entry.first == note; });
      if (same == notes.end()) same = notes.insert(notes.end(), {note, {}});
      same->second.push_back(verdict.method);
    }
  }
  std::string out;
  for (const auto& [note, methods] : notes) {
    out += fmt::format("{} {}", inked("note:", Ink::kDim, style), note);
    if (analysis.verdicts.size() > 1) out += fmt::format(" ({})", fmt::join(methods, ", "));
    out += '\n';
  }
  return out.empty() ? out : out + '\n';
}

/// One line for all methods, and what those that prove every deadline need at run time.
std::string comparison(const Analysis& analysis, const Style& style) {
  std::vector<std::string> parts;
  for (Status status :
       {Status::kSchedulable, Status::kUnschedulable, Status::kUndecided, Status::kNotApplicable}) {
    std::vector<std::string_view> ids;
    for (const Verdict& verdict : analysis.verdicts) {
      if (verdict.status == status) ids.push_back(verdict.method);
    }
    if (ids.empty()) continue;
    const Cell cell = status_cell(status);
    parts.push_back(fmt::format("{} by {} ({})", inked(cell.text, cell.ink, style), ids.size(),
                                fmt::join(ids, ", ")));
  }
  std::string out =
      fmt::format("{} {}\n", inked("Comparison:", Ink::kBold, style), fmt::join(parts, "; "));

  std::vector<std::pair<std::string, std::vector<std::string_view>>> needs;
  bool paper = false;
  for (std::size_t i = 0; i < analysis.methods.size(); ++i) {
    paper = paper || analysis.verdicts[i].variant == "paper";
    if (analysis.verdicts[i].status != Status::kSchedulable) continue;
    const Method& method = *analysis.methods[i];
    std::string need = needs_of(method, analysis.verdicts[i].variant);
    auto same = std::find_if(needs.begin(), needs.end(),
                             [&](const auto& entry) { return entry.first == need; });
    if (same == needs.end()) same = needs.insert(needs.end(), {std::move(need), {}});
    same->second.push_back(method.id);
  }
  if (!needs.empty()) out += "At run time this needs:\n";
  for (const auto& [need, ids] : needs) {
    out += fmt::format("{}{}: {}\n", kIndent, fmt::join(ids, ", "), need);
  }
  if (paper) {
    out += fmt::format(
        "{} published bounds are not guaranteed; compare methods by their safe variant\n",
        inked("warning:", Ink::kYellow, style));
  }
  return out;
}

/// The last line: whose answer counts if the caller named no method.
std::string judged_text(const Analysis& analysis, const Style& style) {
  if (analysis.judged_by == JudgedBy::kNamed) return {};
  if (analysis.judged_by == JudgedBy::kAny) {
    return fmt::format(
        "Judged by all methods: one proof is enough; {} in the file or --method names the method "
        "to judge by\n",
        quote("deploy"));
  }
  const Verdict& verdict = analysis.verdicts[analysis.deployed];
  const Cell status = status_cell(verdict.status);
  return fmt::format("Judged by {} ({}), which the file deploys: {}\n",
                     inked(verdict.method, Ink::kBold, style), verdict.variant,
                     inked(status.text, status.ink, style));
}

}  // namespace

std::string analysis_text(const Analysis& analysis, const Style& style) {
  std::string out;
  for (std::size_t i = 0; i < analysis.methods.size(); ++i) {
    const Verdict& verdict = analysis.verdicts[i];
    if (verdict.status == Status::kNotApplicable) continue;
    out += method_block(*analysis.methods[i], verdict, analysis.system, style) + '\n';
  }
  const Table obstacles = obstacle_table(analysis.verdicts);
  if (!obstacles.empty()) {
    out +=
        inked("Not applicable:", Ink::kDim, style) + '\n' + obstacles.render(style, kIndent) + '\n';
  }
  return out + notes_text(analysis, style) + measured_text(analysis.system, {}, style) +
         comparison(analysis, style) + judged_text(analysis, style);
}

std::string explanation_text(const Analysis& analysis, TaskIndex task, const Style& style) {
  const System& system = analysis.system;
  const TimeUnit unit = system.time_unit;
  std::string out;
  for (const Verdict& verdict : analysis.verdicts) {
    const auto found = std::find_if(verdict.tasks.begin(), verdict.tasks.end(),
                                    [&](const TaskVerdict& entry) { return entry.task == task; });
    out += fmt::format("{} ({}), task {}: ", inked(verdict.method, Ink::kBold, style),
                       verdict.variant, system.tasks[task].name);
    if (found == verdict.tasks.end() || (found->terms.empty() && !found->bound)) {
      std::string why = verdict.reason;
      if (found != verdict.tasks.end() && !found->note.empty()) why = found->note;
      out += fmt::format("no bound; {}\n\n", why.empty() ? "not analysed" : why);
      continue;
    }
    out += found->bound ? "what its bound R is made of\n"
                        : "no bound; what exceeds its deadline (R is the last window tried)\n";
    Table table = terms_table(*found, system);
    const std::string deadline = found->deadline ? format_time(*found->deadline, unit) : "none";
    table.add({{found->bound ? "bound R" : "sum", Ink::kBold},
               {format_time(total(found->terms), unit), Ink::kBold},
               fmt::format("deadline {}", deadline)});
    out += table.render(style, kIndent) + '\n';
    for (const PlanTable& detail : found->details) out += plan_table_text(detail, style) + '\n';
  }
  return out + measured_text(system, task, style);
}

}  // namespace tactus::report
