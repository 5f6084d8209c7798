#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tactus/experiment/describe/check_files.hpp"
#include "tactus/experiment/describe/check_options.hpp"
#include "tactus/experiment/describe/check_recipe.hpp"
#include "tactus/experiment/describe/format.hpp"
#include "tactus/experiment/describe/own_sets.hpp"
#include "tactus/experiment/describe/selection.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/codec.hpp"
#include "tactus/simulate/registry.hpp"

/// What must hold in an experiment file beyond its single fields.
namespace tactus {

using namespace experiment;

namespace {

/// Names that can be used in an expression and as a file name.
bool plain_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
         });
}

void check_plain_name(const json::Value& source, ReadContext& context, std::string_view name) {
  const json::Value* value = source.find("name");
  if (value == nullptr || name.empty() || plain_name(name)) return;
  context.error(*value,
                fmt::format("`name` must be a letter, then letters, digits, `.`, `-` and `_`, "
                            "got {}",
                            quote(name)));
}

template <typename Item>
bool has_name(const std::vector<Item>& items, std::string_view name) {
  return std::any_of(items.begin(), items.end(),
                     [&](const Item& item) { return item.name == name; });
}

/// Complains about names that two items of an array share.
template <typename Item>
void check_unique(const json::Value& source, ReadContext& context, std::string_view noun,
                  const std::vector<Item>& items) {
  for (std::size_t i = 0; i < items.size() && i < source.items().size(); ++i) {
    const bool again = std::any_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Item& item) { return item.name == items[i].name; });
    if (!again || items[i].name.empty()) continue;
    context.error(source.items()[i],
                  fmt::format("there are two {}s named {}", noun, quote(items[i].name)));
  }
}

void check_measure(const json::Value& source, ReadContext& context, Experiment& experiment) {
  const json::Value* of = source.find("of");
  if (experiment.measure == Measure::kTightness && of != nullptr &&
      experiment.figure_name != kOfChains) {
    context.error(*of, fmt::format("`of` {}: with the measure `tightness` it can be `chains` only",
                                   quote(experiment.figure_name)));
  } else if (of != nullptr && experiment.measure != Measure::kFigure &&
             experiment.measure != Measure::kTightness) {
    context.error(*of, "`of` goes with the measures `figure` and `tightness` only");
  }
  for (Line& line : experiment.lines) {
    if (experiment.measure != Measure::kFigure) {
      if (!line.figure.empty()) {
        context.error(*source.find("lines"), "`of` of a line goes with the measure `figure` only");
      }
      continue;
    }
    if (line.figure.empty()) line.figure = experiment.figure_name;
    if (line.figure.empty()) {
      context.error(source, fmt::format("the measure `figure` needs `of`, at least for line {}",
                                        quote(line.name)));
    }
  }
  const json::Value* simulation = source.find("simulation");
  if (simulation != nullptr && !is_simulated(experiment.measure)) {
    context.error(*simulation, "`simulation` goes with the measures `missed` and `tightness` only");
  }
  const json::Value* relative = source.find("relative_to");
  if (relative == nullptr) return;
  if (experiment.measure != Measure::kBound) {
    context.error(*relative, "`relative_to` goes with the measure `bound` only");
  } else if (!has_name(experiment.lines, experiment.relative_to)) {
    context.error(*relative, fmt::format("there is no line {}", quote(experiment.relative_to)));
  }
}

/// Accepted sets are simulated under the policy of their method, `safe` before what is compared
/// with it.
void check_simulated(const json::Value& lines, ReadContext& context, const Experiment& experiment) {
  if (!is_simulated(experiment.measure)) return;
  for (std::size_t i = 0; i < experiment.lines.size(); ++i) {
    const Line& line = experiment.lines[i];
    const auto policy = simulate::find_policy(line.method);
    if (!policy) {
      context.error(lines.items()[i], fmt::format("line {} cannot be simulated: {}",
                                                  quote(line.name), policy.error().message));
    }
    if (line.variants.front() == kSafe) continue;
    context.error(lines.items()[i], fmt::format("the first variant of line {} must be `safe`, with "
                                                "which the others are compared",
                                                quote(line.name)));
  }
}

/// A variant that no line has would silently select nothing.
void check_variant(const json::Value& value, ReadContext& context, const Experiment& experiment,
                   std::string_view variant) {
  std::vector<std::string_view> known;
  for (const Curve& curve : curves_of(experiment)) {
    if (curve.variant == variant) return;
    const auto& all = experiment.lines[curve.line].variants;
    known.insert(known.end(), all.begin(), all.end());
  }
  context.error(
      value, fmt::format("no line has a variant {}{}", quote(variant), suggestion(variant, known)));
}

void check_claims(const json::Value& claims, ReadContext& context, const Experiment& experiment) {
  const Source source = blank_source(experiment);
  for (std::size_t i = 0; i < experiment.claims.size(); ++i) {
    const json::Value& item = claims.items()[i];
    ReadContext::Scope scope(context, "claim", i, item);
    const auto value = evaluate(experiment.claims[i].ours, source);
    if (!value) {
      context.error(
          *item.find("ours"),
          fmt::format("`ours`, character {}: {}", value.error().at.column, value.error().message));
    }
    const json::Value* test = item.find("test");
    if (test != nullptr && experiment.claims[i].deviation.empty()) {
      context.error(*test, "`test` goes with `deviation`, which it tests");
    }
    if (experiment.claims[i].open && !experiment.claims[i].deviation.empty()) {
      context.error(*item.find("open"), "a claim with a `deviation` is explained, not `open`");
    }
    const Basis basis = experiment.claims[i].basis;
    const bool says_why = item.find("basis_note") != nullptr;
    if (says_why && basis == Basis::kPrinted) {
      context.error(*item.find("basis_note"), "`basis_note` goes with `basis`, which it explains");
    }
    if (!says_why && basis != Basis::kPrinted && basis != Basis::kOwn) {
      context.error(*item.find("basis"), fmt::format("`basis` {} needs a `basis_note`: fitted, "
                                                     "chosen among or sampled what?",
                                                     quote(to_string(basis))));
    }
    if (const json::Value* variant = item.find("variant")) {
      check_variant(*variant, context, experiment, experiment.claims[i].variant);
    }
  }
}

/// The results of an experiment compare every curve with every other at every point.
void check_size(const json::Value& lines, ReadContext& context, const Experiment& experiment) {
  constexpr double kMostComparisons = 20'000'000;
  const auto curves = static_cast<double>(curves_of(experiment).size());
  const std::size_t values = experiment.own != nullptr && experiment.sweep.values.empty()
                                 ? experiment.own->xs.size()
                                 : experiment.sweep.values.size();
  const double points =
      experiment.system
          ? static_cast<double>(experiment.system->tasks.size())
          : static_cast<double>(values) *
                static_cast<double>(std::max<std::size_t>(1, experiment.cases.size()));
  if (points * curves * curves <= kMostComparisons) return;
  context.error(lines, fmt::format("{:.0f} curves at {:.0f} points are more than an experiment "
                                   "compares (points * curves^2 may be {:.0f})",
                                   curves, points, kMostComparisons));
}

void check_plot(const json::Value& plot, ReadContext& context, const Experiment& experiment) {
  ReadContext::Scope scope(context, "plot");
  if (const json::Value* variants = plot.find("variants")) {
    for (std::size_t i = 0; i < experiment.plot.variants.size(); ++i) {
      check_variant(variants->items()[i], context, experiment, experiment.plot.variants[i]);
    }
  }
  if (const json::Value* lines = plot.find("lines")) {
    for (std::size_t i = 0; i < experiment.plot.lines.size(); ++i) {
      const std::string& name = experiment.plot.lines[i];
      if (has_name(experiment.lines, name)) continue;
      std::vector<std::string_view> known;
      for (const Line& line : experiment.lines) known.push_back(line.name);
      context.error(lines->items()[i],
                    fmt::format("there is no line {}{}", quote(name), suggestion(name, known)));
    }
  }
  if (!experiment.plot.log_x) return;
  for (const Point& point : points_of(experiment)) {
    if (to_double(point.x).value_or(0) > 0) continue;
    context.error(*plot.find("log_x"),
                  fmt::format("there is no place for the point {} on a logarithmic axis; its "
                              "points are numbers above 0",
                              quote(point.x)));
    return;
  }
}

}  // namespace

template <>
void check(const Origin& origin, ReadContext& context, Line& line) {
  const json::Value& source = *origin.json();  // experiments only come in files
  if (line.name.empty()) line.name = line.method;
  if (line.label.empty()) line.label = line.name;
  if (line.variants.empty()) line.variants = {std::string(kSafe)};
  check_plain_name(source, context, line.name);
  const json::Value* method_name = source.find("method");
  if (method_name == nullptr || line.method.empty()) return;  // already reported
  const Method* method = find_method(line.method);
  if (method == nullptr || method->id != line.method) {
    std::vector<std::string_view> ids;
    for (const Method* known : registry()) ids.push_back(known->id);
    context.error(*method_name, fmt::format("there is no method {}{}", quote(line.method),
                                            suggestion(line.method, ids)));
    return;
  }
  for (const std::string& variant : line.variants) {
    const auto& variants = method->variants;
    if (std::find(variants.begin(), variants.end(), variant) != variants.end()) continue;
    context.error(source, fmt::format("{} has no variant {}; it has {}", method->id, quote(variant),
                                      fmt::join(variants, ", ")));
  }
  const json::Value* options = source.find("options");
  if (options != nullptr && options->is(json::Kind::kObject)) {
    check_options(*options, *method, context);
  }
}

namespace {

/// One of `recipe`, `files` and `system`; false after a complaint.
bool has_one_source(const json::Value& source, ReadContext& context) {
  int count = 0;
  for (std::string_view key : {"recipe", "files", "system"}) {
    if (source.find(key) != nullptr) ++count;
  }
  if (count != 1)
    context.error(source, "an experiment has exactly one of `recipe`, `files` and `system`");
  return count == 1;
}

/// Only what a recipe draws has several forms.
void check_no_line_sets(const json::Value* lines, ReadContext& context, std::string_view source) {
  if (lines == nullptr || !lines->is(json::Kind::kArray)) return;
  for (const json::Value& line : lines->items()) {
    const json::Value* set = line.is(json::Kind::kObject) ? line.find("set") : nullptr;
    if (set == nullptr) continue;
    context.error(*set, fmt::format("`set` goes with `recipe`, not with `{}`", source));
  }
}

void check_system_only(const json::Value& source, ReadContext& context, Experiment& experiment) {
  for (std::string_view foreign :
       {"settings", "sweep", "cases", "cases_by", "common_sets", "sets", "seed"}) {
    if (const json::Value* value = source.find(foreign)) {
      context.error(*value, quote(foreign) + " goes with `recipe`, not with `system`");
    }
  }
  experiment.cases.assign(1, {});
  if (!context.failed() && points_of(experiment).empty()) {
    context.error(*source.find("system"), "the system has no real-time task");
  }
}

}  // namespace

template <>
void check(const Origin& origin, ReadContext& context, Experiment& experiment) {
  const json::Value& source = *origin.json();
  check_plain_name(source, context, experiment.name);
  if (!has_one_source(source, context)) return;
  for (Case& one : experiment.cases) {
    if (one.label.empty()) one.label = one.name;
  }
  const json::Value* version = source.find("tactus_experiment");
  if (source.find("common_sets") == nullptr && version != nullptr) {
    // The experiments of version 1 keep the sets that they always had.
    experiment.common_sets = version->text() != "1";
  }
  const json::Value* lines = source.find("lines");
  if (lines != nullptr && lines->is(json::Kind::kArray) && lines->items().empty()) {
    context.error(*lines, "an experiment needs at least one line");
  }
  if (lines != nullptr) check_unique(*lines, context, "line", experiment.lines);
  if (const json::Value* cases = source.find("cases")) {
    check_unique(*cases, context, "case", experiment.cases);
  }
  check_measure(source, context, experiment);
  if (lines != nullptr && !context.failed()) check_simulated(*lines, context, experiment);
  if (source.find("recipe") != nullptr) {
    if (lines != nullptr && !context.failed()) check_size(*lines, context, experiment);
    if (!experiment.recipe.empty()) check_recipe(source, context, experiment);
  } else if (source.find("files") != nullptr) {
    check_no_line_sets(lines, context, "files");
    check_files(source, context, experiment);
  } else {
    check_no_line_sets(lines, context, "system");
    check_system_only(source, context, experiment);
  }
}

namespace experiment {

void check_points(const json::Value& source, ReadContext& context, Experiment& experiment) {
  if (experiment.own) {
    if (!experiment.cases_by.empty()) {
      for (const std::string& name : experiment.own->cases)
        experiment.cases.push_back({name, name, {}});
    }
    if (experiment.cases.empty()) experiment.cases.emplace_back();
    for (const auto& group : experiment.own->groups) {
      experiment.sets = std::max(experiment.sets, static_cast<std::int64_t>(group.size()));
    }
  }
  check_size(*source.find("lines"), context, experiment);
  const json::Value* claims = source.find("claims");
  if (claims != nullptr && !context.failed()) check_claims(*claims, context, experiment);
  const json::Value* plot = source.find("plot");
  if (plot != nullptr && !context.failed()) check_plot(*plot, context, experiment);
}

}  // namespace experiment

}  // namespace tactus
