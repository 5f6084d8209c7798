#include "tactus/report/sweep.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "tactus/methods/plan_document.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/report/text/csv.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus {
namespace report {
namespace {

using decide::Knob;
using decide::SweepPoint;

std::string value_text(const Swept& swept, std::int64_t value) {
  if (swept.range.knob.what == Knob::What::kAllTimes) return format_scaled(value, 3);
  return decide::is_time(swept.range.knob)
             ? format_scaled(value, decimal_places(swept.system.time_unit))
             : std::to_string(value);
}

const TaskVerdict* of_task(const SweepPoint& point, TaskIndex task) {
  for (const TaskVerdict& each : point.verdict.tasks) {
    if (each.task == task) return &each;
  }
  return nullptr;
}

/// The real-time tasks, in file order.
std::vector<TaskIndex> real_time_tasks(const System& system) {
  std::vector<TaskIndex> tasks;
  for (TaskIndex t = 0; t < system.tasks.size(); ++t) {
    if (!system.tasks[t].best_effort) tasks.push_back(t);
  }
  return tasks;
}

std::string bound_text(const Swept& swept, const SweepPoint& point, TaskIndex task) {
  const TaskVerdict* found = of_task(point, task);
  return found != nullptr && found->bound ? format_time(*found->bound, swept.system.time_unit)
                                          : std::string();
}

}  // namespace

std::string sweep_text(const Swept& swept, const Style& style) {
  const std::string name = decide::name_of(swept.range.knob, swept.system);
  std::string out = fmt::format("{} ({}) on {}: bounds while {} changes\n",
                                inked(swept.method.id, Ink::kBold, style), swept.variant,
                                swept.system.name, name);
  std::vector<Table::Column> columns = {{name, Align::kRight}, {"proved"}};
  const std::vector<TaskIndex> tasks = real_time_tasks(swept.system);
  for (TaskIndex t : tasks) columns.push_back({swept.system.tasks[t].name, Align::kRight});
  Table table(std::move(columns));
  for (const SweepPoint& point : swept.points) {
    const bool proved = point.verdict.status == Status::kSchedulable;
    std::vector<Cell> cells = {value_text(swept, point.value),
                               {proved ? "yes" : "no", proved ? Ink::kGreen : Ink::kRed}};
    for (TaskIndex t : tasks) {
      const std::string bound = bound_text(swept, point, t);
      cells.emplace_back(bound.empty() ? "-" : bound);
    }
    table.add(std::move(cells));
  }
  return out + table.render(style);
}

std::string sweep_csv(const Swept& swept) {
  const std::string name = decide::name_of(swept.range.knob, swept.system);
  std::string out = csv_line({"system", "method", "variant", "of", "value", "status", "task",
                              "bound", "deadline", "schedulable"});
  for (const SweepPoint& point : swept.points) {
    for (const TaskVerdict& task : point.verdict.tasks) {
      out += csv_line({swept.system.name, swept.method.id, swept.variant, name,
                       value_text(swept, point.value), to_string(point.verdict.status),
                       swept.system.tasks[task.task].name, bound_text(swept, point, task.task),
                       task.deadline ? format_time(*task.deadline, swept.system.time_unit) : "",
                       task.schedulable ? "true" : "false"});
    }
  }
  return out;
}

Chart sweep_chart(const Swept& swept) {
  Chart chart;
  const auto number = [&](std::int64_t value) {
    const int places = swept.range.knob.what == Knob::What::kAllTimes ? 3
                       : decide::is_time(swept.range.knob) ? decimal_places(swept.system.time_unit)
                                                           : 0;
    return static_cast<double>(value) / std::pow(10, places);
  };
  chart.x_label = decide::name_of(swept.range.knob, swept.system);
  chart.y_label = "bound / deadline";
  chart.x_least = number(std::min(swept.range.from, swept.range.to));
  chart.x_most = number(std::max(swept.range.from, swept.range.to));
  constexpr int kTicks = 5;
  for (int k = 0; k < kTicks; ++k) {
    const double at = chart.x_least + (chart.x_most - chart.x_least) * k / (kTicks - 1);
    chart.x_ticks.push_back({at, fmt::format("{:.4g}", at)});
  }
  Panel panel{fmt::format("{} ({}) on {}", swept.method.id, swept.variant, swept.system.name), {}};
  for (TaskIndex t : real_time_tasks(swept.system)) {
    ChartCurve curve{swept.system.tasks[t].name, style_of_case(panel.curves.size()), {}};
    for (const SweepPoint& point : swept.points) {
      const TaskVerdict* task = of_task(point, t);
      double share = std::nan("");
      if (task != nullptr && task->bound && task->deadline) {
        share = static_cast<double>(task->bound->ns()) / static_cast<double>(task->deadline->ns());
      }
      curve.points.push_back({number(point.value), share, share, share});
    }
    panel.curves.push_back(std::move(curve));
  }
  chart.panels.push_back(std::move(panel));
  return chart;
}

}  // namespace report

using namespace codec;  // the words of the tables
using report::Swept;

namespace {

struct PointRow {
  const Swept& swept;
  const decide::SweepPoint& point;
};

struct SweepDocument {
  const Swept& swept;
  std::span<const decide::Change> changes;
};

std::vector<PointRow> point_rows(const SweepDocument& document) {
  std::vector<PointRow> rows;
  for (const decide::SweepPoint& point : document.swept.points) {
    rows.push_back({document.swept, point});
  }
  return rows;
}

std::vector<std::pair<TaskIndex, std::optional<Time>>> bounds_of(const PointRow& row) {
  std::vector<std::pair<TaskIndex, std::optional<Time>>> bounds;
  for (const TaskVerdict& task : row.point.verdict.tasks)
    bounds.emplace_back(task.task, task.bound);
  return bounds;
}

}  // namespace

template <>
std::span<const Field<PointRow>> fields<PointRow>() {
  static constexpr auto kTable = std::to_array<Field<PointRow>>({
      always<Decimal>(
          "value", "What was tried",
          [](const PointRow& row) { return report::value_text(row.swept, row.point.value); }),
      always<AnyStatus>("status", "Of the system with it",
                        [](const PointRow& row) { return row.point.verdict.status; }),
      always<bounds_of, ByTask<OrNull<TimeSeen>>>("bounds", "By task; null: there is none"),
  });
  return kTable;
}

template <>
std::span<const Field<SweepDocument>> fields<SweepDocument>() {
  using Owner = SweepDocument;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      version<Owner>(),
      kind<Owner, "sweep">(),
      system_name<Owner>(),
      report::changes_field<Owner>(),
      always<Line>("method", "The method that was asked",
                   [](const Owner& d) { return d.swept.method.id; }),
      always<Line>("variant", "Which variant of it",
                   [](const Owner& d) { return d.swept.variant; }),
      always<Line>(
          "of", "The value that changes",
          [](const Owner& d) { return decide::name_of(d.swept.range.knob, d.swept.system); }),
      always<point_rows, List<Object<PointRow>>>("points", "In the order of the values"),
  });
  return kTable;
}

namespace report {

std::string sweep_json(const Swept& swept, std::span<const decide::Change> changes) {
  return document_of(swept.system, SweepDocument{swept, changes});
}

std::string sweep_schema() {
  return schema_of<SweepDocument>("sweep",
                                  "How bounds follow one value (tactus slack --sweep --json)");
}

}  // namespace report
}  // namespace tactus
