#include "tactus/report/charts/recorded_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tactus/base/json.hpp"
#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/model/field.hpp"
#include "tactus/report/json/document_kind.hpp"

namespace tactus::report {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// The number of that name, `kNothing` for null or where there is none.
double number_of(const json::Value& object, std::string_view key, ReadContext& context) {
  const json::Value* value = object.is(json::Kind::kObject) ? object.find(key) : nullptr;
  if (value == nullptr || value->is(json::Kind::kNull)) return kNothing;
  const auto number = value->is(json::Kind::kNumber)
                          ? experiment::to_double(std::string(value->text()))
                          : std::nullopt;
  if (number && std::isfinite(*number) && *number >= 0) return *number;
  context.error(*value, fmt::format("{} must be a number >= 0", quote(key)));
  return kNothing;
}

std::string text_of(const json::Value& object, std::string_view key) {
  const json::Value* value = object.is(json::Kind::kObject) ? object.find(key) : nullptr;
  return value != nullptr && value->is(json::Kind::kString) ? std::string(value->text())
                                                            : std::string();
}

/// As the name of a file.
std::string plain(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-' || c == '_';
    if (!keep) c = '_';
  }
  return out.starts_with('.') ? fmt::format("_{}", out) : out;
}

/// A factor of 100 between the values needs a logarithmic axis, which has no 0.
bool needs_log(const std::vector<RecordedLine>& lines) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const RecordedLine& line : lines) {
    for (const double value : line.values) {
      if (std::isnan(value)) continue;
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  return least > 0 && most > 100 * least;
}

}  // namespace

bool is_run(const json::Value& root) {
  const json::Value* tasks = root.is(json::Kind::kObject) ? root.find("tasks") : nullptr;
  return kind_of_document(root) == "observed" && tasks != nullptr && tasks->is(json::Kind::kArray);
}

RecordedFigure figure_of_run(const json::Value& root, ReadContext& context) {
  const std::string system = text_of(root, "system"), method = text_of(root, "method");
  RecordedFigure figure;
  figure.name = plain(method.empty() ? system : fmt::format("{}-{}", system, method));
  figure.title = fmt::format("{} under {}: observed and proved", system, method);
  figure.y = "Response (unit of the file)";
  figure.lines = {{"mean", {}}, {"longest", {}}, {"bound", {}}, {"deadline", {}}};
  for (const json::Value& task : root.find("tasks")->items()) {
    const std::string name = text_of(task, "task");
    const json::Value* response = task.is(json::Kind::kObject) ? task.find("response") : nullptr;
    if (name.empty() || response == nullptr) {
      context.error(task, "a task of a run has `task` and `response`");
      continue;
    }
    const double longest = number_of(task, "longest", context);
    if (const double jobs = number_of(task, "jobs", context); std::isnan(jobs) || jobs == 0)
      continue;
    figure.points.push_back(name);
    figure.lines[0].values.push_back(number_of(*response, "mean", context));
    figure.lines[1].values.push_back(longest);
    figure.lines[2].values.push_back(number_of(task, "bound", context));
    figure.lines[3].values.push_back(number_of(task, "deadline", context));
  }
  if (figure.points.empty() && !context.failed()) {
    context.error(root, "no task of this run has a job");
  }
  std::erase_if(figure.lines, [](const RecordedLine& line) {
    return std::all_of(line.values.begin(), line.values.end(),
                       [](double value) { return std::isnan(value); });
  });
  figure.log_y = needs_log(figure.lines);
  return figure;
}

}  // namespace tactus::report
