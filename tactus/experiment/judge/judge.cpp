#include "tactus/experiment/judge/judge.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "tactus/experiment/describe/own_sets.hpp"
#include "tactus/experiment/judge/simulated.hpp"
#include "tactus/generate/drawn_memory.hpp"
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
      recipe_(experiment.recipe.empty() ? nullptr : find_recipe(experiment.recipe)) {
  for (const Curve& curve : curves_) {
    methods_.push_back(find_method(experiment.lines[curve.line].method));
    asks_others_ = asks_others_ || !methods_.back()->origin.empty();
  }
}

std::vector<std::size_t> Judge::needed(const CurveSet& only) const {
  std::vector<std::size_t> asked;
  for (const Curve& curve : curves_) {
    const bool wanted = std::any_of(curves_.begin(), curves_.end(), [&](const Curve& other) {
      const bool same = other.index == curve.index;
      const bool together = is_simulated(experiment_.measure) && other.line == curve.line;
      return (same || together) && (only.empty() || only[other.index]);
    });
    if (wanted) asked.push_back(curve.index);
  }
  return asked;
}

Question Judge::question(std::size_t curve, const Point& point, const std::stop_token& stop) const {
  Question question;
  question.method = methods_[curve];
  Options& options = question.options;
  options.variant = curves_[curve].variant;
  options.settings = experiment_.lines[curves_[curve].line].options;
  for (const OptionSpec& option : question.method->options) {
    const auto swept = point.options.find(option.name);
    if (swept != point.options.end()) options.settings[swept->first] = swept->second;
  }
  options.plan = is_simulated(experiment_.measure);  // what the simulation obeys
  options.terms = false;
  options.stop = stop;
  question.status_only = experiment_.measure == Measure::kAccepted && !experiment_.system;
  return question;
}

CurveVerdict Judge::measure(const System& system, const Point& point, const Curve& curve,
                            const Verdict& verdict) const {
  CurveVerdict result;
  result.status = verdict.status;
  if (experiment_.system) {
    // The point is one task of the given system: its own bound and deadline count.
    for (const TaskVerdict& task : verdict.tasks) {
      if (system.tasks[task.task].name != point.x) continue;
      result.status = task.schedulable ? Status::kSchedulable : Status::kUnschedulable;
      if (experiment_.measure == Measure::kBound && task.bound) result.value = task.bound->ns();
    }
  } else if (experiment_.measure == Measure::kBound) {
    result.value = largest_bound(verdict);
  }
  if (experiment_.measure == Measure::kFigure) {
    result.value = whole_figure(verdict, experiment_.lines[curve.line].figure);
  }
  return result;
}

bool Judge::simulates(std::size_t curve, const JudgedSet& judged, const System& system) const {
  if (judged.curves[curve].status != Status::kSchedulable) return false;
  if (experiment_.measure != Measure::kMissed) return true;
  // Without deadlines there is nothing that only one variant accepts.
  if (std::none_of(system.tasks.begin(), system.tasks.end(),
                   [](const Task& task) { return task.deadline.has_value(); })) {
    return true;
  }
  // `safe` is the first variant of every line, so its verdict is known by now.
  const std::size_t safe = curve_of(curves_, curves_[curve].line, kSafe).index;
  return safe == curve || judged.curves[safe].status != Status::kSchedulable;
}

std::optional<JudgedSet> Judge::operator()(std::size_t point, std::int64_t set,
                                           const std::stop_token& stop) const {
  return AtPoint(*this, point, stop)(set);
}

Judge::AtPoint::AtPoint(const Judge& judge, std::size_t point, const std::stop_token& stop,
                        const CurveSet& only)
    : judge_(judge), point_(judge.points_[point]), stop_(stop) {
  const std::vector<std::size_t> asked = judge.needed(only);
  all_asked_ = asked.size() == judge.curves_.size();
  std::vector<Words> drawn_with;  // by form
  std::vector<std::vector<std::size_t>> curves;
  for (const std::size_t curve : asked) {
    const Line& line = judge.experiment_.lines[judge.curves_[curve].line];
    const Words settings = settings_of(point_, line);
    const auto found = std::find(drawn_with.begin(), drawn_with.end(), settings);
    const auto form = static_cast<std::size_t>(found - drawn_with.begin());
    if (found == drawn_with.end()) {
      drawn_with.push_back(settings);
      curves.emplace_back();
    }
    curves[form].push_back(curve);
  }
  for (std::size_t form = 0; form < curves.size(); ++form) {
    std::vector<Question> questions;
    for (std::size_t curve : curves[form]) questions.push_back(judge.question(curve, point_, stop));
    forms_.push_back(std::make_unique<Form>(std::move(curves[form]), std::move(questions)));
    if (judge.recipe_ == nullptr) continue;
    forms_.back()->settings.emplace(judge.recipe_->parameters, drawn_with[form]);
  }
}

const System& Judge::AtPoint::system_of(Form& form, std::int64_t set, System& drawn) const {
  const auto index = static_cast<std::size_t>(set);
  if (judge_.experiment_.own) return judge_.experiment_.own->groups[point_.group][index].system;
  if (!form.settings) return *judge_.experiment_.system;
  Result<System> made = draw(*judge_.recipe_, *form.settings, point_.seed, index);
  // The reader drew with these settings, and a recipe refuses all sets of a point or none.
  if (!made) throw std::logic_error(made.error().message);
  drawn = std::move(*made);
  return drawn;
}

std::int64_t Judge::AtPoint::now() const {
  if (untimed_ > 0) return 0;
  return judge_.asks_others_ ? host::now_ns() : host::thread_ns();
}

bool Judge::AtPoint::ask(Form& form, const System& system, JudgedSet& judged) const {
  bool interrupted = false;
  std::int64_t begin = now();
  form.survey.ask(system, [&](std::size_t k, const Verdict& verdict) {
    std::int64_t end = now();
    const std::size_t curve = form.curves[k];
    CurveVerdict& found = judged.curves[curve];
    found = judge_.measure(system, point_, judge_.curves_[curve], verdict);
    if (untimed_ == 0) found.ns = end - begin;
    if (verdict.status == Status::kNotApplicable) judged.reasons.push_back({curve, verdict.reason});
    if (is_simulated(judge_.experiment_.measure)) {
      if (judge_.simulates(curve, judged, system)) {
        found.value =
            simulated_value(judge_.experiment_, system, *judge_.methods_[curve], verdict,
                            point_.seed ^ static_cast<std::uint64_t>(judged.set) << 32, stop_);
      }
      end = now();
    }
    interrupted = stop_.stop_requested();
    begin = end;
    return !interrupted;
  });
  return !interrupted;
}

std::optional<JudgedSet> Judge::AtPoint::operator()(std::int64_t set) {
  constexpr std::int64_t kLong = 100'000;
  constexpr int kUntimed = 15;
  const std::int64_t begin = now();
  std::optional<JudgedSet> judged = judge(set);
  if (untimed_ > 0) {
    --untimed_;
  } else if (judge_.experiment_.measure != Measure::kTime && now() - begin < kLong) {
    untimed_ = kUntimed;
  }
  return judged;
}

std::optional<JudgedSet> Judge::AtPoint::judge(std::int64_t set) {
  JudgedSet judged;
  judged.point = static_cast<std::int64_t>(point_.index);
  judged.set = set;
  judged.added = !all_asked_;
  CurveVerdict unknown;
  unknown.judged = false;
  judged.curves.assign(judge_.curves_.size(), unknown);
  for (const auto& form : forms_) {
    const std::int64_t begin = now();
    System drawn;
    const System& system = system_of(*form, set, drawn);
    if (untimed_ == 0) judged.draw_ns = judged.draw_ns.value_or(0) + now() - begin;
    if (form == forms_.front()) judged.utilisation = utilisation_of(system);
    if (!ask(*form, system, judged)) return std::nullopt;
    leave_memory(std::move(drawn));
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
    // A division of 64 bits is much faster, and nearly always enough.
    if (work <= INT64_MAX / kMillion) {
      sum += static_cast<std::int64_t>(work) * kMillion / task.period->ns();
    } else {
      sum += work * kMillion / task.period->ns();
    }
  }
  return static_cast<std::int64_t>(std::min<__int128>(sum, INT64_MAX));
}

}  // namespace tactus::experiment
