#include "tactus/experiment/judge.hpp"

#include <charconv>
#include <stdexcept>

#include "tactus/host/clock.hpp"

namespace tactus::experiment {
namespace {

/// The largest bound; nothing when a task has none.
std::optional<std::int64_t> largest_bound(const Verdict& verdict) {
  std::optional<std::int64_t> largest;
  for (const TaskVerdict& task : verdict.tasks) {
    if (!task.bound) return std::nullopt;
    largest = std::max(largest.value_or(0), task.bound->ns());
  }
  return largest;
}

std::optional<std::int64_t> whole_figure(const Verdict& verdict, std::string_view name) {
  for (const Figure& figure : verdict.figures) {
    if (figure.name != name) continue;
    std::int64_t value = 0;
    const char* end = figure.value.data() + figure.value.size();
    const auto [rest, problem] = std::from_chars(figure.value.data(), end, value);
    if (problem == std::errc() && rest == end) return value;
  }
  return std::nullopt;
}

}  // namespace

Judge::Judge(const Experiment& experiment)
    : experiment_(experiment),
      points_(points_of(experiment)),
      curves_(curves_of(experiment)),
      recipe_(experiment.system ? nullptr : find_recipe(experiment.recipe)) {
  for (const Curve& curve : curves_) {
    methods_.push_back(find_method(experiment.lines[curve.line].method));
  }
}

CurveVerdict Judge::judge(const System& system, const Point& point, const Curve& curve,
                          const std::stop_token& stop) const {
  const Line& line = experiment_.lines[curve.line];
  Options options;
  options.variant = curve.variant;
  options.settings = line.options;
  for (const OptionSpec& option : methods_[curve.index]->options) {
    const auto swept = point.options.find(option.name);
    if (swept != point.options.end()) options.settings[swept->first] = swept->second;
  }
  options.plan = false;
  options.stop = stop;
  const std::int64_t begin = host::now_ns();
  const Verdict verdict = analyze(*methods_[curve.index], system, options);
  CurveVerdict result;
  result.ns = host::now_ns() - begin;
  result.status = verdict.status;
  if (recipe_ == nullptr) {
    // The point is one task of the given system: its own bound and deadline count.
    for (const TaskVerdict& task : verdict.tasks) {
      if (system.tasks[task.task].name != point.x) continue;
      result.status = task.schedulable ? Status::kSchedulable : Status::kUnschedulable;
      if (experiment_.measure == Measure::kBound && task.bound) result.value = task.bound->ns();
    }
  } else if (experiment_.measure == Measure::kBound) {
    result.value = largest_bound(verdict);
  }
  if (experiment_.measure == Measure::kFigure) result.value = whole_figure(verdict, line.figure);
  return result;
}

std::optional<JudgedSet> Judge::operator()(std::size_t point_index, std::int64_t set,
                                           const std::stop_token& stop) const {
  const Point& point = points_[point_index];
  JudgedSet judged;
  judged.point = static_cast<std::int64_t>(point_index);
  judged.set = set;
  const std::int64_t begin = host::now_ns();
  System drawn;
  if (recipe_ != nullptr) {
    Result<System> made = generate(*recipe_, Settings(recipe_->parameters, point.settings),
                                   point.seed, static_cast<std::uint64_t>(set));
    // The reader drew with these settings, and a recipe refuses all sets of a point or none.
    if (!made) throw std::logic_error(made.error().message);
    drawn = std::move(*made);
  }
  judged.draw_ns = host::now_ns() - begin;
  const System& system = recipe_ != nullptr ? drawn : *experiment_.system;
  judged.utilisation = utilisation_of(system);
  for (const Curve& curve : curves_) {
    judged.curves.push_back(judge(system, point, curve, stop));
    if (stop.stop_requested()) return std::nullopt;
  }
  return judged;
}

std::int64_t utilisation_of(const System& system) {
  constexpr std::int64_t kMillion = 1'000'000;
  __int128 sum = 0;
  for (const Task& task : system.tasks) {
    if (!task.period) continue;
    __int128 work = 0;
    for (const Node& node : task.nodes) {
      work += node.wcet.value_or(node.load.value_or(Time{})).ns() + node.launch.ns();
    }
    sum += work * kMillion / task.period->ns();
  }
  return static_cast<std::int64_t>(std::min<__int128>(sum, INT64_MAX));
}

}  // namespace tactus::experiment
