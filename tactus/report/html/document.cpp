#include "tactus/report/html/document.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/plan_file.hpp"
#include "tactus/report/gantt.hpp"
#include "tactus/report/html/html.hpp"
#include "tactus/report/json/document_kind.hpp"
#include "tactus/report/plan.hpp"

namespace tactus::report {
namespace {

using json::Kind;
using json::Value;

/// The plain value of a member as text; empty where there is none.
std::string text_of(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  const bool plain = value != nullptr && (value->is(Kind::kString) || value->is(Kind::kNumber));
  return plain ? std::string(value->text()) : std::string();
}

bool is_true(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  return value != nullptr && value->is(Kind::kBool) && value->boolean();
}

std::span<const Value> items_of(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  return value != nullptr && value->is(Kind::kArray) ? value->items() : std::span<const Value>();
}

Ink ink_of(std::string_view status) {
  if (status == "schedulable") return Ink::kGreen;
  if (status == "unschedulable") return Ink::kRed;
  return status == "undecided" ? Ink::kYellow : Ink::kDim;
}

std::string heading(const Value& document) {
  return fmt::format("<h3>{}</h3>\n", html_escaped(document_title(document)));
}

std::string paragraph(const Cell& cell) { return fmt::format("<p>{}</p>\n", html_cell(cell)); }

/// A table that is shown on request: "15 methods do not apply".
std::string folded(std::string_view what, const Table& table) {
  return fmt::format("<details><summary>{} {}</summary>\n{}</details>\n", table.rows().size(), what,
                     html_table(table));
}

/// What is said first; of documents of earlier versions, the status alone.
std::string headline_html(const Value& document) {
  const std::string status = text_of(document, "status");
  const Value* const headline = document.find("headline");
  if (headline == nullptr) return paragraph({status, ink_of(status)});
  const bool needs = text_of(*headline, "state") == "needs";
  std::string out = paragraph({text_of(*headline, "text"), needs ? Ink::kYellow : ink_of(status)});
  std::string beyond;
  for (const Value& what : items_of(*headline, "not_covered"))
    beyond.append(beyond.empty() ? "Not covered: " : "; ").append(what.text());
  if (status == "schedulable") out += paragraph({beyond, Ink::kDim});
  return out;
}

/// Methods x tasks: each bound beside its deadline.
std::string analysis_html(const Value& document) {
  std::vector<std::string> tasks;
  for (const Value& verdict : items_of(document, "methods")) {
    for (const Value& task : items_of(verdict, "tasks")) {
      const std::string name = text_of(task, "task");
      if (std::find(tasks.begin(), tasks.end(), name) == tasks.end()) tasks.push_back(name);
    }
  }
  std::vector<Table::Column> columns = {{"method"}, {"variant"}, {"verdict"}};
  for (const std::string& task : tasks) columns.push_back({task, Align::kRight});
  Table bounds(std::move(columns));
  Table refused({{"method"}, {"does not apply because"}});
  std::string warnings;
  for (const Value& verdict : items_of(document, "methods")) {
    const std::string method = text_of(verdict, "method"), status = text_of(verdict, "status");
    if (status == "not-applicable") {
      refused.add({method, text_of(verdict, "reason")});
      continue;
    }
    std::vector<Cell> cells = {
        {method, Ink::kBold}, text_of(verdict, "variant"), {status, ink_of(status)}};
    cells.resize(3 + tasks.size(), Cell(""));
    for (const Value& task : items_of(verdict, "tasks")) {
      const auto place = std::find(tasks.begin(), tasks.end(), text_of(task, "task"));
      const std::string bound = text_of(task, "bound"), deadline = text_of(task, "deadline");
      const bool good = is_true(task, "schedulable");
      cells[3 + static_cast<std::size_t>(place - tasks.begin())] = {
          fmt::format("{} / {}", bound.empty() ? "none" : bound, deadline.empty() ? "-" : deadline),
          good ? Ink::kGreen : Ink::kRed};
    }
    bounds.add(std::move(cells));
    for (const Value& warning : items_of(verdict, "warnings")) {
      warnings += paragraph({fmt::format("{}: {}", method, warning.text()), Ink::kYellow});
    }
  }
  std::string out = heading(document);
  out += headline_html(document);
  if (!bounds.empty()) out += html_table(bounds, "Bound / deadline of every task");
  out += warnings;
  if (!refused.empty()) out += folded("methods do not apply", refused);
  return out;
}

std::string slack_html(const Value& document) {
  const std::string status = text_of(document, "status");
  const bool room = status == "schedulable";
  Table table({{"what"},
               {"now", Align::kRight},
               {room ? "may be" : "must be", Align::kRight},
               {"fails at", Align::kRight},
               {room ? "then late" : "late now"}});
  for (const Value& reach : items_of(document, "slack")) {
    const Value* breaks = reach.find("breaks");
    const std::string holds = text_of(reach, "holds"), fails = text_of(reach, "fails");
    table.add({text_of(reach, "of"), text_of(reach, "now"),
               holds.empty()             ? "not enough"
               : room && fails.empty()   ? "any"
               : is_true(reach, "exact") ? holds
                                         : holds + " (tried)",
               fails,
               breaks == nullptr                  ? ""
               : breaks->find("chain") != nullptr ? "chain " + text_of(*breaks, "chain")
                                                  : text_of(*breaks, "task")});
  }
  std::string out = heading(document);
  out += paragraph({fmt::format("{} ({}): {}", text_of(document, "method"),
                                text_of(document, "variant"), status),
                    ink_of(status)});
  out += html_table(table);
  if (is_true(document, "stopped")) {
    out += paragraph({"Stopped early: values may go further than shown.", Ink::kYellow});
  }
  return out;
}

std::string advice_html(const Value& document) {
  const bool found = is_true(document, "found");
  Table table({{"method"},
               {"variant"},
               {"factor", Align::kRight},
               {"limited by"},
               {"cores", Align::kRight},
               {"SMs", Align::kRight},
               {"run by"},
               {"to change"}});
  for (const Value& option : items_of(document, "options")) {
    std::string changes;
    if (const Value* all = option.find("to_change"); all != nullptr && all->is(Kind::kObject)) {
      for (const json::Member& change : all->members()) {
        if (!changes.empty()) changes += ", ";
        changes += fmt::format("{} = {}", change.key, text_of(change.value, "to"));
      }
    }
    table.add({{text_of(option, "method"), Ink::kBold},
               text_of(option, "variant"),
               {text_of(option, "factor"), is_true(option, "proved") ? Ink::kGreen : Ink::kRed},
               text_of(option, "limited_by"),
               text_of(option, "cores"),
               text_of(option, "sms"),
               text_of(option, "run_by"),
               changes});
  }
  std::string out = heading(document);
  out += paragraph({text_of(document, "conclusion") + ".", found ? Ink::kGreen : Ink::kRed});
  if (!table.empty()) out += html_table(table, "Best first");
  Table remedies({{"change"}, {"from", Align::kRight}, {"to", Align::kRight}, {"proved by"}});
  for (const Value& remedy : items_of(document, "would_do")) {
    remedies.add({text_of(remedy, "change"), text_of(remedy, "from"), text_of(remedy, "to"),
                  text_of(remedy, "method")});
  }
  if (!remedies.empty()) out += html_table(remedies, "Smallest single changes that would do");
  Table left_out({{"method"}, {"left out because"}});
  for (const Value& left : items_of(document, "left_out")) {
    left_out.add({text_of(left, "method"), text_of(left, "why")});
  }
  if (!left_out.empty()) out += folded("methods are left out", left_out);
  return out;
}

/// With the tables that its family makes for people.
Result<std::string> plan_html(std::string text, const Value& document, const System& system) {
  const Result<PlanFile> file = read_plan_file(std::move(text), "<document>", system);
  if (!file) return file.error();
  std::string out = heading(document);
  for (const std::string& failure : file->failures) out += paragraph({failure, Ink::kRed});
  const Plan* const plan = file->plan.verdict.plan.get();
  if (plan == nullptr) return out;  // it names what the system does not have
  for (const PlanTable& table : plan->tables(system))
    out += html_table(table_of(table), table.title);
  const std::string gantt = render_gantt(plan->bars(system), system.time_unit, Style{});
  if (!gantt.empty()) out += fmt::format("<pre>{}</pre>\n", html_escaped(gantt));
  return out;
}

}  // namespace

std::string document_title(const Value& document) {
  const std::string system = text_of(document, "system"), method = text_of(document, "method");
  const std::string_view kind = kind_of_document(document);
  if (kind == "plan-check") return fmt::format("Check of a plan of {} for {}", method, system);
  if (kind == "validation") return "Search for runs that exceed a bound";
  if (kind == "verdict") return fmt::format("Verdicts on {}", system);
  if (kind == "slack") return fmt::format("Slack of {}", system);
  if (kind == "advice") return fmt::format("Ways to run {}", system);
  if (kind == "plan") return fmt::format("Plan of {} for {}", method, system);
  if (kind == "observed") return fmt::format("A run of {} under {}", system, method);
  if (kind == "system") return fmt::format("System {}", text_of(document, "name"));
  return "Tactus";
}

Result<std::string> document_html(std::string text, const System* system) {
  const auto parsed = json::Document::parse(text);
  if (!parsed) return parsed.error();
  const Value& root = parsed->root();
  if (!root.is(Kind::kObject)) return Error{"a document is an object"};
  const std::string_view kind = kind_of_document(root);
  if (kind == "verdict") return analysis_html(root);
  if (kind == "slack") return slack_html(root);
  if (kind == "advice") return advice_html(root);
  if (kind == "plan" && system != nullptr) return plan_html(std::move(text), root, *system);
  return heading(root) + members_html(root);
}

}  // namespace tactus::report
