#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/needs.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/answer.hpp"
#include "tactus/report/end_to_end.hpp"
#include "tactus/report/how.hpp"
#include "tactus/report/measured.hpp"
#include "tactus/report/obstacles.hpp"
#include "tactus/report/plan.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
namespace {

constexpr std::string_view kIndent = "  ";
/// On a narrower terminal a table has no bars.
constexpr int kRoomForBars = 60;

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
  if (style.fold < kRoomForBars) return fmt::format("{:>3} %", percent);
  return fmt::format("{} {:>3} %", bar, percent);
}

Table task_table(const Verdict& verdict, const System& system, const Style& style) {
  Table table(
      {{"task"},
       {with_unit("bound", system), Align::kRight},
       {style.fold < kRoomForBars ? "deadline" : with_unit("deadline", system), Align::kRight},
       {"slack"}});
  for (const TaskVerdict& task : verdict.tasks) {
    const std::string deadline =
        task.deadline ? format_time(*task.deadline, system.time_unit) : "none";
    const bool has_slack = task.bound && task.deadline && *task.bound <= *task.deadline;
    const Ink ink = task.schedulable ? Ink::kPlain : Ink::kRed;
    table.add({shortened(system.tasks[task.task].name, std::max(8, style.fold - 46), style),
               {task.bound ? format_time(*task.bound, system.time_unit) : "none", ink},
               deadline,
               has_slack ? slack_bar(*task.bound, *task.deadline, style) : ""});
  }
  return table;
}

/// Why tasks have no bound, or one that is too long.
std::string reasons_text(const Verdict& verdict, const System& system, const Style& style) {
  std::vector<std::pair<std::string, std::vector<std::string_view>>> reasons;
  for (const TaskVerdict& task : verdict.tasks) {
    std::string why = why_no_bound(task, system);
    if (why.empty()) continue;
    const auto same = std::find_if(reasons.begin(), reasons.end(),
                                   [&](const auto& entry) { return entry.first == why; });
    const auto place = same == reasons.end() ? reasons.insert(same, {why, {}}) : same;
    place->second.push_back(system.tasks[task.task].name);
  }
  std::string out;
  for (const auto& [why, names] : reasons) {
    out += list_entry(fmt::format("{}: {}", fmt::join(names, ", "), why), style);
  }
  return out;
}

/// JSON text that can be folded.
std::string with_blanks(std::string_view json) {
  std::string out;
  for (char c : json) out.append(1, c).append(c == ',' ? " " : "");
  return out;
}

std::string method_block(const Method& method, const Verdict& verdict, const System& system,
                         const Style& style) {
  const Cell status = status_cell(verdict.status);
  const int width =
      display_width(fmt::format("{} ({}): {}", method.id, verdict.variant, status.text));
  std::string out =
      fmt::format("{} ({}):{}{}\n", inked(method.id, Ink::kBold, style), verdict.variant,
                  width > style.fold ? "\n  " : " ", inked(status.text, status.ink, style));
  const Table table = task_table(verdict, system, style);
  if (!table.empty()) out += table.render(style, kIndent);
  out += end_to_end_text(verdict, system, style);
  out += reasons_text(verdict, system, style);
  if (!verdict.reason.empty()) out += list_entry(with_place(verdict.reason, verdict.at), style);
  constexpr std::size_t kMostMissed = 10;
  for (std::size_t i = 0; i < std::min(kMostMissed, verdict.missed.size()); ++i) {
    out += list_entry(missed_text(verdict.missed[i], system), style);
  }
  if (verdict.missed.size() > kMostMissed) {
    out += fmt::format("{}and {} more late jobs\n", kIndent, verdict.missed.size() - kMostMissed);
  }
  for (const Figure& figure : verdict.figures) {
    out += list_entry(fmt::format("{}: {}", figure.name, with_blanks(figure.value)), style);
  }
  for (const std::string& warning : verdict.warnings) {
    out += list_entry("warning: " + warning, style);
  }
  return out;
}

/// What methods derived because the file does not state it; most methods derive the same.
std::string notes_text(const Analysis& analysis, const Style& style) {
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> notes;
  for (const Verdict& verdict : analysis.asked_verdicts()) {
    for (const std::string& note : verdict.notes) {
      auto same = std::find_if(notes.begin(), notes.end(),
                               [&](const auto& entry) { return entry.first == note; });
      if (same == notes.end()) same = notes.insert(notes.end(), {note, {}});
      same->second.push_back(verdict.method);
    }
  }
  std::string out;
  for (const auto& [note, methods] : notes) {
    std::string text(note);
    if (analysis.asked > 1) text += fmt::format(" ({})", fmt::join(methods, ", "));
    out += paragraph("note: ", text, style);
  }
  return out.empty() ? out : out + '\n';
}

/// What the methods that prove every deadline need at run time.
std::string needs_text(const Analysis& analysis, const Style& style) {
  std::vector<std::pair<std::string, std::vector<std::string_view>>> needs;
  bool unproved = false;
  for (std::size_t i = 0; i < analysis.questions.size(); ++i) {
    const Verdict& verdict = analysis.verdicts[i];
    unproved = unproved || !is_guaranteed(verdict.variant);
    if (verdict.status != Status::kSchedulable) continue;
    const Method& method = analysis.method(i);
    std::string need = needs_of(method, verdict.variant);
    auto same = std::find_if(needs.begin(), needs.end(),
                             [&](const auto& entry) { return entry.first == need; });
    if (same == needs.end()) same = needs.insert(needs.end(), {need, {}});
    same->second.push_back(method.id);
  }
  std::string out = needs.empty() ? "" : "At run time this needs:\n";
  for (const auto& [need, ids] : needs) {
    out += list_entry(fmt::format("{}: {}", fmt::join(ids, ", "), need), style);
  }
  if (unproved) {
    out += paragraph(
        "warning: ", "published bounds are not guaranteed; compare methods by their safe variant",
        style);
  }
  return out;
}

/// The last line: whose answer counts if the caller named no method.
std::string judged_text(const Analysis& analysis, const Style& style) {
  if (analysis.judged_by == JudgedBy::kNamed) return {};
  if (analysis.judged_by == JudgedBy::kAny) {
    return paragraph("",
                     "Judged by all methods: one proof is enough; `deploy` in the file or --method "
                     "names the method to judge by",
                     style);
  }
  const Verdict& verdict = analysis.verdicts[analysis.deployed];
  return paragraph("",
                   fmt::format("Judged by {} ({}), which the file deploys: {}", verdict.method,
                               verdict.variant, status_cell(verdict.status).text),
                   style);
}

}  // namespace

std::string details_text(const Analysis& analysis, const Style& style) {
  std::string out = headline_text(analysis, style) + '\n';
  for (const decide::Standing& standing : analysis.standings) {
    if (standing.group == decide::Group::kNotApplicable) continue;
    out += method_block(analysis.method(standing.place), analysis.verdicts[standing.place],
                        analysis.system, style) +
           '\n';
  }
  const std::string obstacles = obstacles_text(analysis.asked_verdicts(), Obstacles::kAll, style);
  if (!obstacles.empty()) out += obstacles + '\n';
  return out + notes_text(analysis, style) + measured_text(analysis.system, {}, style) +
         needs_text(analysis, style) + judged_text(analysis, style);
}

std::string explanation_text(const Analysis& analysis, TaskIndex task, const Style& style) {
  const System& system = analysis.system;
  const TimeUnit unit = system.time_unit;
  std::string out;
  for (const Verdict& verdict : analysis.all
                                    ? analysis.asked_verdicts()
                                    : analysis.verdicts.subspan(analysis.best().place, 1)) {
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
    if (found->bound) {
      out += "what its bound R is made of\n";
    } else if (found->conditional_bound) {
      out += fmt::format("no bound; what R is made of, {}\n", found->note);
    } else {
      out += "no bound; what exceeds its deadline (R is the last window tried)\n";
    }
    Table table = terms_table(*found, system);
    const std::string deadline = found->deadline ? format_time(*found->deadline, unit) : "none";
    table.add({{found->bound               ? "bound R"
                : found->conditional_bound ? "conditional bound R"
                                           : "sum",
                Ink::kBold},
               {format_time(total(found->terms), unit), Ink::kBold},
               fmt::format("deadline {}", deadline)});
    out += table.render(style, kIndent) + '\n';
    for (const PlanTable& detail : found->details) out += plan_table_text(detail, style) + '\n';
  }
  return out + measured_text(system, task, style);
}

}  // namespace tactus::report
