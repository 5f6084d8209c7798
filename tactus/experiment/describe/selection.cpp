#include "tactus/experiment/describe/selection.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/method.hpp"

namespace tactus::experiment {
namespace {

template <typename Items>
std::vector<std::string_view> names_of(const Items& items) {
  std::vector<std::string_view> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

Error unknown(std::string_view noun, std::string_view name,
              const std::vector<std::string_view>& known) {
  return Error{fmt::format("there is no {} {}{}", noun, quote(name), suggestion(name, known))};
}

template <typename Item>
const Item* find_named(const std::vector<Item>& items, std::string_view name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

Result<Selection> select(const Experiment& experiment, const CurveName& name,
                         std::string_view variant) {
  const Line* line = find_named(experiment.lines, name.line);
  if (line == nullptr) return unknown("line", name.line, names_of(experiment.lines));
  if (!name.variant.empty()) {
    const std::vector<std::string_view> known(line->variants.begin(), line->variants.end());
    if (std::find(known.begin(), known.end(), name.variant) == known.end()) {
      return unknown(fmt::format("variant of line {},", quote(name.line)), name.variant, known);
    }
    variant = name.variant;
  }
  const bool has_case = name.case_name.empty() || find_named(experiment.cases, name.case_name);
  if (!has_case) return unknown("case", name.case_name, names_of(experiment.cases));

  Selection selection;
  selection.line = static_cast<std::size_t>(line - experiment.lines.data());
  selection.curve = curve_of(curves_of(experiment), selection.line, variant).index;
  for (const Point& point : points_of(experiment)) {
    const bool in_case =
        name.case_name.empty() || experiment.cases[point.case_index].name == name.case_name;
    if (in_case && (name.x.empty() || point.x == name.x)) selection.points.push_back(point.index);
  }
  if (selection.points.empty()) return Error{fmt::format("there is no point {}", quote(name.x))};
  return selection;
}

Source blank_source(const Experiment& experiment) {
  const auto find = [&experiment](const CurveName& name) {
    return select(experiment, name, kSafe);
  };
  Source source;
  source.curve = [find](const CurveName& name) -> Source::Points {
    const auto found = find(name);
    if (!found) return found.error();
    return std::vector<double>(found->points.size(), 1.0);
  };
  source.accepted = source.curve;
  source.sets = source.curve;
  source.spread = [find_points = source.curve,
                   &experiment](const CurveName& name) -> Source::Points {
    if (experiment.measure == Measure::kAccepted || experiment.measure == Measure::kMissed) {
      return Error{"spread needs a measure that gives every set a number"};
    }
    return find_points(name);
  };
  source.weighted = [find, &experiment](const CurveName& name) -> Source::Points {
    if (const auto found = find(name); !found) return found.error();
    if (experiment.measure != Measure::kAccepted)
      return Error{"weighted needs the measure accepted"};
    if (!name.x.empty()) return Error{"weighted needs a whole curve, without [x]"};
    if (name.case_name.empty() && experiment.cases.size() > 1) {
      return Error{"weighted needs one case; name it in braces"};
    }
    return std::vector<double>{1.0};
  };
  source.lost = [find](const CurveName& loser, const CurveName& winner) -> Source::Points {
    const auto a = find(loser), b = find(winner);
    if (!a) return a.error();
    if (!b) return b.error();
    if (a->points != b->points) return Error{"lost compares two curves at the same points"};
    return std::vector<double>{1.0};
  };
  return source;
}

}  // namespace tactus::experiment
