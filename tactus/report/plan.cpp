#include "tactus/report/plan.hpp"

#include <fmt/core.h>

#include "tactus/decide/never_run.hpp"
#include "tactus/model/format.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/gantt.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {

std::string plan_json(const System& system, const Verdict& verdict) {
  json::Writer out;
  AnyPlan::write(out, system, verdict);
  return out.take();
}

Table table_of(const PlanTable& plan_table) {
  std::vector<Table::Column> columns;
  for (const std::string& title : plan_table.header) {
    columns.push_back({title, columns.empty() ? Align::kLeft : Align::kRight});
  }
  Table table(std::move(columns));
  for (const auto& row : plan_table.rows) table.add({row.begin(), row.end()});
  return table;
}

std::string plan_table_text(const PlanTable& plan_table, const Style& style) {
  return heading(plan_table.title, Ink::kBold, "", style) +
         table_of(plan_table).render(style, "  ");
}

std::string plan_text(const System& system, const Verdict& verdict, const Style& style) {
  std::string out = heading(
      "Plan of " + verdict.method, Ink::kBold,
      fmt::format(" ({}) for {}: {}", verdict.variant, system.name, to_string(verdict.status)),
      style);
  for (const std::string& warning : verdict.warnings) {
    out += heading("warning:", Ink::kYellow, " " + warning, style);
  }
  for (const std::string& note : verdict.notes) {
    out += heading("note:", Ink::kDim, " " + note, style);
  }
  for (const auto& one : decide::never_run(system, verdict)) {
    out += heading("note:", Ink::kDim, " " + to_string(one, system), style);
  }
  for (const PlanTable& plan_table : verdict.plan->tables(system)) {
    out += '\n' + plan_table_text(plan_table, style);
  }
  const std::string gantt = render_gantt(verdict.plan->bars(system), system.time_unit, style);
  if (!gantt.empty()) out += '\n' + gantt;
  return out;
}

std::string plan_check_text(std::string_view name, const PlanFile& file) {
  if (file.failures.empty()) return fmt::format("{}: every condition holds\n", name);
  std::string out;
  for (const std::string& failure : file.failures) out += fmt::format("{}: {}\n", name, failure);
  return out;
}

std::string plan_check_json(const System& system, const PlanFile& file,
                            std::span<const decide::Change> changes) {
  json::Writer out;
  begin_document(out, "plan-check", system, changes);
  out.key("method").string(file.plan.verdict.method);
  out.key("variant").string(file.plan.verdict.variant);
  out.key("holds").boolean(file.failures.empty());
  out.key("failures").begin_array();
  for (const std::string& failure : file.failures) out.string(failure);
  out.end_array();
  out.end_object();
  return out.take();
}

}  // namespace tactus::report
