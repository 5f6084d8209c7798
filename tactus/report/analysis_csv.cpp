#include "tactus/report/analysis.hpp"
#include "tactus/report/text/csv.hpp"
#include "tactus/report/verdict_csv.hpp"

namespace tactus::report {
namespace {

std::string line_of(std::optional<std::string_view> first, std::vector<std::string_view> fields) {
  if (first) fields.insert(fields.begin(), *first);
  return csv_line(fields);
}

}  // namespace

std::string verdict_csv_head(std::optional<std::string_view> first) {
  return line_of(
      first, {"system", "method", "variant", "status", "task", "bound", "deadline", "schedulable"});
}

std::string verdict_csv(const System& system, const Verdict& verdict,
                        std::optional<std::string_view> first) {
  const auto text_of = [&](const std::optional<Time>& time) {
    return time ? format_time(*time, system.time_unit) : std::string();
  };
  std::string out;
  const auto add = [&](std::string_view task, std::string_view bound, std::string_view deadline,
                       std::string_view schedulable) {
    out += line_of(first, {system.name, verdict.method, verdict.variant, to_string(verdict.status),
                           task, bound, deadline, schedulable});
  };
  for (const TaskVerdict& task : verdict.tasks) {
    add(system.tasks[task.task].name, text_of(task.bound), text_of(task.deadline),
        task.schedulable ? "true" : "false");
  }
  if (verdict.tasks.empty()) add("", "", "", "");
  return out;
}

std::string analysis_csv(const Analysis& analysis) {
  std::string out = verdict_csv_head();
  for (const Verdict& verdict : analysis.asked_verdicts()) {
    out += verdict_csv(analysis.system, verdict);
  }
  return out;
}

}  // namespace tactus::report
