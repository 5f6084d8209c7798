#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tactus/experiment/format.hpp"
#include "tactus/experiment/selection.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/codec.hpp"

/// What must hold in an experiment file beyond its single fields.
namespace tactus {

using namespace experiment;

namespace {

/// Names that an expression can spell and a file can be called by.
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

/// The value of an option must be one that the method could be given on the command line.
void check_option(const OptionSpec& option, const json::Value& value, ReadContext& context) {
  const bool flag = option.value.empty();
  const bool choice = option.value.find('|') != std::string_view::npos;
  if (flag && (!value.is(json::Kind::kBool) || !value.boolean())) {
    codec::mismatch(value, option.name, context, "true (leave it out for no)");
  }
  if (!choice) return;
  const std::string among = fmt::format("|{}|", option.value);
  const bool is_text = value.is(json::Kind::kString) || value.is(json::Kind::kNumber);
  if (is_text && among.find(fmt::format("|{}|", value.text())) != std::string::npos) return;
  codec::mismatch(value, option.name, context, fmt::format("one of {}", option.value));
}

void check_options(const json::Value& options, const Method& method, ReadContext& context) {
  std::vector<std::string_view> known;
  for (const OptionSpec& option : method.options) known.push_back(option.name);
  for (const json::Member& member : options.members()) {
    const auto found = std::find(known.begin(), known.end(), member.key);
    if (found != known.end()) {
      check_option(method.options[static_cast<std::size_t>(found - known.begin())], member.value,
                   context);
      continue;
    }
    context.error(member, fmt::format("{} has no option {}{}", method.id, quote(member.key),
                                      suggestion(member.key, known)));
  }
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

/// An option can be swept when some line has it.
void check_swept_option(const json::Value& name, ReadContext& context,
                        const Experiment& experiment) {
  const std::string_view option = std::string_view(name.text()).substr(2);
  for (const Line& line : experiment.lines) {
    for (const OptionSpec& known : find_method(line.method)->options) {
      if (known.name == option && !known.value.empty()) return;
    }
  }
  context.error(name, fmt::format("no line has an option {} with a value", quote(name.text())));
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
  if (const json::Value* cases = source.find("cases")) {
    for (std::size_t i = 0; i < cases->items().size(); ++i) {
      ReadContext::Scope scope(context, "case", i, cases->items()[i]);
      check_names(cases->items()[i].find("set"));
    }
  }
  if (const json::Value* set = source.find("sweep")->find("set")) {
    for (const json::Value& name : set->items()) {
      if (is_option(name.text())) {
        check_swept_option(name, context, experiment);
      } else {
        check_name(name.text(), name);
      }
    }
  }
}

/// Draws the first set of every point: settings out of range show there, and nowhere earlier.
void check_draws(const json::Value& source, ReadContext& context, const Recipe& recipe,
                 const Experiment& experiment) {
  const json::Value& values = *source.find("sweep")->find("values");
  for (const Point& point : points_of(experiment)) {
    const auto set = generate(recipe, Settings(recipe.parameters, point.settings), point.seed, 0);
    if (set) continue;
    const Case& in = experiment.cases[point.case_index];
    const std::string where = in.name.empty() ? "" : fmt::format(", case {}", quote(in.name));
    context.error(values.items()[point.index % values.items().size()],
                  fmt::format("at {}{}: {}", quote(point.x), where, set.error().message));
  }
}

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
  if (experiment.cases.empty()) experiment.cases.emplace_back();
  if (context.failed()) return;
  check_parameters(source, context, *recipe, experiment);
  if (!context.failed()) check_draws(source, context, *recipe, experiment);
}

void check_measure(const json::Value& source, ReadContext& context, Experiment& experiment) {
  const json::Value* of = source.find("of");
  if (of != nullptr && experiment.measure != Measure::kFigure) {
    context.error(*of, "`of` goes with the measure `figure` only");
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
  const json::Value* relative = source.find("relative_to");
  if (relative == nullptr) return;
  if (experiment.measure != Measure::kBound) {
    context.error(*relative, "`relative_to` goes with the measure `bound` only");
  } else if (!has_name(experiment.lines, experiment.relative_to)) {
    context.error(*relative, fmt::format("there is no line {}", quote(experiment.relative_to)));
  }
}

void check_claims(const json::Value& claims, ReadContext& context, const Experiment& experiment) {
  const Source source = blank_source(experiment);
  for (std::size_t i = 0; i < experiment.claims.size(); ++i) {
    ReadContext::Scope scope(context, "claim", i, claims.items()[i]);
    const auto value = evaluate(experiment.claims[i].ours, source);
    if (const auto* problem = std::get_if<ExpressionError>(&value)) {
      context.error(*claims.items()[i].find("ours"),
                    fmt::format("`ours`, character {}: {}", problem->offset + 1, problem->message));
    }
  }
}

}  // namespace

template <>
void check(const json::Value& source, ReadContext& context, Line& line) {
  if (line.name.empty()) line.name = line.method;
  if (line.label.empty()) line.label = line.name;
  if (line.variants.empty()) line.variants = {std::string(kSafe)};
  check_plain_name(source, context, line.name);
  const json::Value* method_name = source.find("method");
  if (method_name == nullptr || line.method.empty()) return;  // told already
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

template <>
void check(const json::Value& source, ReadContext& context, Experiment& experiment) {
  check_plain_name(source, context, experiment.name);
  const json::Value* recipe = source.find("recipe");
  const json::Value* system = source.find("system");
  if ((recipe == nullptr) == (system == nullptr)) {
    context.error(source, "an experiment has either a `recipe` or a `system`");
    return;
  }
  for (Case& one : experiment.cases) {
    if (one.label.empty()) one.label = one.name;
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
  if (recipe != nullptr) {
    if (!experiment.recipe.empty()) check_recipe(source, context, experiment);
  } else {
    for (std::string_view foreign : {"settings", "sweep", "cases", "sets", "seed"}) {
      if (const json::Value* value = source.find(foreign)) {
        context.error(*value, quote(foreign) + " goes with `recipe`, not with `system`");
      }
    }
    experiment.cases.assign(1, {});
    if (!context.failed() && points_of(experiment).empty()) {
      context.error(*system, "the system has no real-time task");
    }
  }
  const json::Value* claims = source.find("claims");
  if (claims != nullptr && !context.failed()) check_claims(*claims, context, experiment);
}

}  // namespace tactus
