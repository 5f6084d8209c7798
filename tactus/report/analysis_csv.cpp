#include "tactus/report/analysis.hpp"
#include "tactus/report/csv.hpp"

namespace tactus::report {

std::string analysis_csv(const Analysis& analysis) {
  const System& system = analysis.system;
  const auto text_of = [&](const std::optional<Time>& time) {
    return time ? format_time(*time, system.time_unit) : std::string();
  };
  std::string out = csv_line(
      {"system", "method", "variant", "status", "task", "bound", "deadline", "schedulable"});
  for (const Verdict& verdict : analysis.asked_verdicts()) {
    const auto add = [&](std::string_view task, std::string_view bound, std::string_view deadline,
                         std::string_view schedulable) {
      out += csv_line({system.name, verdict.method, verdict.variant, to_string(verdict.status),
                       task, bound, deadline, schedulable});
    };
    for (const TaskVerdict& task : verdict.tasks) {
      add(system.tasks[task.task].name, text_of(task.bound), text_of(task.deadline),
          task.schedulable ? "true" : "false");
    }
    if (verdict.tasks.empty()) add("", "", "", "");
  }
  return out;
}

}  // namespace tactus::report
