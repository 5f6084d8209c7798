#include "tactus/report/plan.hpp"

#include <fmt/core.h>

#include "tactus/report/gantt.hpp"
#include "tactus/report/table.hpp"

namespace tactus::report {

std::string plan_json(const System& system, const Verdict& verdict) {
  json::Writer out;
  write_plan(out, system, verdict.method, verdict.variant, *verdict.plan);
  return out.take();
}

std::string plan_table_text(const PlanTable& plan_table, const Style& style) {
  std::vector<Table::Column> columns;
  for (const std::string& title : plan_table.header) {
    columns.push_back({title, columns.empty() ? Align::kLeft : Align::kRight});
  }
  Table table(std::move(columns));
  for (const auto& row : plan_table.rows) table.add({row.begin(), row.end()});
  return inked(plan_table.title, Ink::kBold, style) + '\n' + table.render(style, "  ");
}

std::string plan_text(const System& system, const Verdict& verdict, const Style& style) {
  std::string out =
      fmt::format("Plan of {} ({}) for {}: {}\n", inked(verdict.method, Ink::kBold, style),
                  verdict.variant, system.name, to_string(verdict.status));
  for (const std::string& warning : verdict.warnings) {
    out += fmt::format("{} {}\n", inked("warning:", Ink::kYellow, style), warning);
  }
  for (const PlanTable& plan_table : verdict.plan->tables(system)) {
    out += '\n' + plan_table_text(plan_table, style);
  }
  const std::string gantt = render_gantt(verdict.plan->bars(system), system.time_unit, style);
  if (!gantt.empty()) out += '\n' + gantt;
  return out;
}

}  // namespace tactus::report
