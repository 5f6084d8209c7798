#include "tactus/report/charts/shown_curves.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tactus::report {

using experiment::Curve;
using experiment::Line;
using experiment::Results;

std::string variant_title(const std::string& variant) {
  if (variant == "released") return "as released";
  return variant == "paper" ? "as published" : variant;
}

std::string label_of(const Line& line, const FigureStyle& style) {
  const LineLook* look = style.find(line.name);
  if (look != nullptr && !look->label.empty()) return look->label;
  return line.label.empty() ? line.name : line.label;
}

std::vector<Curve> wanted_curves(const Results& results, const FigureStyle& style) {
  const auto& lines = results.experiment.lines;
  const auto& wanted = results.experiment.plot.variants;
  const auto is_wanted = [&](const std::string& variant) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), variant) != wanted.end();
  };
  const auto& drawn = results.experiment.plot.lines;
  std::vector<Curve> shown;
  for (const Curve& curve : results.curves) {
    const std::string& name = lines[curve.line].name;
    const LineLook* look = style.find(name);
    if (look != nullptr && look->hidden) continue;
    if (!drawn.empty() && std::find(drawn.begin(), drawn.end(), name) == drawn.end()) continue;
    // A line that has none of the wanted variants is shown in the variants it has.
    const auto& own = lines[curve.line].variants;
    const bool none = std::none_of(own.begin(), own.end(), is_wanted);
    if (none || is_wanted(curve.variant)) shown.push_back(curve);
  }
  const auto place = [&](const Curve& curve) {
    const LineLook* look = style.find(lines[curve.line].name);
    return look == nullptr ? style.lines.size()
                           : static_cast<std::size_t>(look - style.lines.data());
  };
  std::stable_sort(shown.begin(), shown.end(),
                   [&](const Curve& a, const Curve& b) { return place(a) < place(b); });
  return shown;
}

CurveStyle GroupLooks::next(const std::string& group) {
  const auto place =
      static_cast<std::size_t>(std::find(groups_.begin(), groups_.end(), group) - groups_.begin());
  if (place == groups_.size()) {
    groups_.push_back(group);
    members_.push_back(0);
  }
  return style_of_group(place, members_[place]++);
}

std::vector<ShownCurve> shown_curves(const Results& results, const FigureStyle& style) {
  const std::vector<Curve> curves = wanted_curves(results, style);
  std::vector<ShownCurve> shown;
  std::vector<std::string> seen;  // methods so far
  GroupLooks groups;
  for (const Curve& curve : curves) {
    const Line& line = results.experiment.lines[curve.line];
    ShownCurve one{curve, label_of(line, style), {}};
    const auto of_line = std::count_if(
        curves.begin(), curves.end(), [&](const Curve& other) { return other.line == curve.line; });
    if (of_line > 1) one.label += fmt::format(" ({})", variant_title(curve.variant));
    const auto like = static_cast<std::size_t>(std::count(seen.begin(), seen.end(), line.method));
    seen.push_back(line.method);
    const LineLook* look = style.find(line.name);
    if (line.group.empty()) {
      one.style = nth_like(styled(style_of_method(line.method, curve.line), look), like);
    } else {
      one.style = styled(groups.next(line.group), look);
      one.label += fmt::format(" [{}]", line.group);
    }
    shown.push_back(std::move(one));
  }
  return shown;
}

}  // namespace tactus::report
