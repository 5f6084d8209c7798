#include "tactus/experiment/describe/check_recipe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tactus/experiment/describe/check_options.hpp"
#include "tactus/generate/recipe.hpp"

namespace tactus::experiment {
namespace {

/// More would take too long: a set is drawn at each point whenever the file is read.
constexpr std::size_t kMostPoints = 10'000;
constexpr double kMostNodes = 20'000'000;  // of the systems at all points together

/// The `set` of a case; null where there are none.
const json::Value* set_of_case(const json::Value& source, std::size_t index) {
  const json::Value* cases = source.find("cases");
  return cases == nullptr || index >= cases->items().size() ? nullptr
                                                            : cases->items()[index].find("set");
}

/// The names in an object of settings, and the swept ones.
void check_parameters(const json::Value& source, ReadContext& context, const Recipe& recipe,
                      const Experiment& experiment) {
  std::vector<std::string_view> known;
  for (const Parameter& parameter : recipe.parameters) known.push_back(parameter.name);
  const auto check_name = [&](std::string_view name, const auto& where) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    context.error(where, fmt::format("recipe {} has no parameter {}{}", recipe.name, quote(name),
                                     suggestion(name, known)));
  };
  const auto check_names = [&](const json::Value* settings) {
    if (settings == nullptr) return;
    for (const json::Member& member : settings->members()) check_name(member.key, member);
  };
  check_names(source.find("settings"));
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    const json::Value* set = set_of_case(source, i);
    if (set == nullptr) continue;
    ReadContext::Scope scope(context, "case", i, source.find("cases")->items()[i]);
    for (const json::Member& member : set->members()) {
      if (is_option(member.key)) {
        check_case_option(member, context, experiment);
      } else {
        check_name(member.key, member);
      }
    }
  }
  for (const json::Value& line : source.find("lines")->items()) check_names(line.find("set"));
  for (const json::Value& name : source.find("sweep")->find("set")->items()) {
    if (is_option(name.text())) {
      check_swept_option(name, context, experiment);
    } else {
      check_name(name.text(), name);
    }
  }
}

/// Where the file sets a parameter at some point; null if the sweep sets it, or nothing does.
const json::Member* find_setting(const json::Value& source, const Experiment& experiment,
                                 const Point& point, std::string_view parameter) {
  const auto& swept = experiment.sweep.set;
  if (std::find(swept.begin(), swept.end(), parameter) != swept.end()) return nullptr;
  for (const json::Value* settings :
       {set_of_case(source, point.case_index), source.find("settings")}) {
    if (settings == nullptr) continue;
    for (const json::Member& member : settings->members()) {
      if (member.key == parameter) return &member;
    }
  }
  return nullptr;
}

/// `check_draws` with the settings that a line has for itself.
void check_own_draws(const json::Value& source, ReadContext& context, const Recipe& recipe,
                     const Experiment& experiment) {
  const std::vector<Point> points = points_of(experiment);
  for (std::size_t i = 0; i < experiment.lines.size(); ++i) {
    const Line& line = experiment.lines[i];
    if (line.set.empty()) continue;
    const json::Value& set = *source.find("lines")->items()[i].find("set");
    for (const Point& point : points) {
      const Words settings = settings_of(point, line);
      const auto bad = find_bad_setting(recipe, Settings(recipe.parameters, settings));
      if (!bad) continue;
      const json::Value* own = set.find(bad->parameter);
      context.error(
          own == nullptr ? set : *own,
          own == nullptr ? fmt::format("at {}: {}", quote(point.x), bad->message) : bad->message);
      break;
    }
  }
}

/// Draws a set at every point: settings out of range show there, and nowhere earlier.
void check_draws(const json::Value& source, ReadContext& context, const Recipe& recipe,
                 const Experiment& experiment) {
  const json::Value& values = *source.find("sweep")->find("values");
  std::set<const json::Member*> told;
  double nodes = 0;
  for (const Point& point : points_of(experiment)) {
    const auto bad = find_bad_setting(recipe, Settings(recipe.parameters, point.settings), &nodes);
    if (nodes > kMostNodes) {
      context.error(values, fmt::format("one set at each point makes more than {:.0f} nodes; that "
                                        "is too much for one experiment",
                                        kMostNodes));
      return;
    }
    if (!bad) continue;
    if (const auto* member = find_setting(source, experiment, point, bad->parameter)) {
      if (told.insert(member).second) context.error(member->value, bad->message);
      continue;
    }
    const Case& in = experiment.cases[point.case_index];
    const std::string where = in.name.empty() ? "" : fmt::format(", case {}", quote(in.name));
    context.error(values.items()[point.index % values.items().size()],
                  fmt::format("at {}{}: {}", quote(point.x), where, bad->message));
  }
}

void check_sweep(const json::Value& sweep, ReadContext& context) {
  ReadContext::Scope scope(context, "sweep");
  for (std::string_view needed : {"set", "values"}) {
    if (sweep.find(needed) == nullptr) context.error(sweep, quote(needed) + " is missing");
  }
  if (const json::Value* foreign = sweep.find("by")) {
    context.error(*foreign, "`by` goes with `files`, not with `recipe`");
  }
}

}  // namespace

void check_recipe(const json::Value& source, ReadContext& context, Experiment& experiment) {
  const Recipe* recipe = find_recipe(experiment.recipe);
  if (recipe == nullptr) {
    std::vector<std::string_view> names;
    for (const Recipe* known : recipes()) names.push_back(known->name);
    context.error(*source.find("recipe"),
                  fmt::format("there is no recipe {}{}", quote(experiment.recipe),
                              suggestion(experiment.recipe, names)));
    return;
  }
  for (std::string_view needed : {"sweep", "sets"}) {
    if (source.find(needed) == nullptr) {
      context.error(source, quote(needed) + " is missing, which goes with `recipe`");
    }
  }
  if (const json::Value* foreign = source.find("cases_by")) {
    context.error(*foreign, "`cases_by` goes with `files`, not with `recipe`");
  }
  if (const json::Value* sweep = source.find("sweep")) check_sweep(*sweep, context);
  if (experiment.cases.empty()) experiment.cases.emplace_back();
  if (context.failed()) return;
  const std::size_t points = experiment.sweep.values.size() * experiment.cases.size();
  if (points > kMostPoints) {
    context.error(
        *source.find("sweep")->find("values"),
        fmt::format("that makes {} points; an experiment has at most {}", points, kMostPoints));
    return;
  }
  check_parameters(source, context, *recipe, experiment);
  if (!context.failed()) check_draws(source, context, *recipe, experiment);
  if (!context.failed()) check_own_draws(source, context, *recipe, experiment);
}

}  // namespace tactus::experiment
