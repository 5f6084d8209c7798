#include "tactus/experiment/results/paired.hpp"

#include <fmt/core.h>

#include <map>
#include <optional>

#include "tactus/experiment/describe/expression.hpp"
#include "tactus/experiment/describe/selection.hpp"
#include "tactus/experiment/results/sets.hpp"
#include "tactus/methods/method.hpp"

namespace tactus::experiment {
namespace {

/// A name as an expression has it, and nothing around it.
Result<CurveName> name_of(const std::string& text) {
  std::optional<CurveName> found;
  Source source;
  source.curve = [&](const CurveName& name) -> Source::Points {
    found = name;
    return std::vector<double>{1};
  };
  source.weighted = source.accepted = source.spread = source.sets = source.curve;
  source.lost = [](const CurveName&, const CurveName&) -> Source::Points {
    return Error{"no curve"};
  };
  const auto value = evaluate(text, source);
  const std::string_view before_case = std::string_view(text).substr(0, text.find('{'));
  const bool alone = before_case.find_first_of("()+*/ ") == std::string_view::npos &&
                     (before_case.size() == text.size() || text.ends_with('}'));
  if (!value || !found || !alone || !found->x.empty()) {
    return Error{
        fmt::format("{} is not written as line, line:variant or line{{case}}", quote(text))};
  }
  return *found;
}

Result<Selection> find(const Results& results, const std::string& text) {
  const auto name = name_of(text);
  if (!name) return name.error();
  return select(results.experiment, *name, kSafe);
}

bool same_sets(const Results& results, const Point& a, const Point& b) {
  if (a.index == b.index) return true;
  return results.experiment.own ? a.group == b.group : a.seed == b.seed;
}

void count(const CurveVerdict& a, const CurveVerdict& b, PairCounts& counts) {
  if (!a.judged || !b.judged) return;
  if (a.status == Status::kNotApplicable || b.status == Status::kNotApplicable) {
    ++counts.not_applicable;
    return;
  }
  const bool by_a = a.status == Status::kSchedulable, by_b = b.status == Status::kSchedulable;
  ++(by_a ? (by_b ? counts.both : counts.only_a) : (by_b ? counts.only_b : counts.neither));
}

}  // namespace

PairCounts& PairCounts::operator+=(const PairCounts& other) {
  both += other.both;
  only_a += other.only_a;
  only_b += other.only_b;
  neither += other.neither;
  not_applicable += other.not_applicable;
  return *this;
}

Result<Comparison> compare(const std::string& store, const Results& results, const std::string& a,
                           const std::string& b) {
  const auto first = find(results, a), second = find(results, b);
  if (!first) return first.error();
  if (!second) return second.error();
  if (first->points.size() != second->points.size()) {
    return Error{"name a case for both curves, or for none"};
  }
  Comparison comparison{results.experiment.name, a, b, {}, {}};
  std::map<std::size_t, std::size_t> place_a, place_b;  // of a point among the compared
  for (std::size_t i = 0; i < first->points.size(); ++i) {
    const Point &at_a = results.points[first->points[i]], &at_b = results.points[second->points[i]];
    if (!same_sets(results, at_a, at_b)) {
      return Error{
          fmt::format("{} and {} are not judged on the same sets; cases have common sets "
                      "in experiments with \"common_sets\": true",
                      quote(a), quote(b))};
    }
    place_a[at_a.index] = place_b[at_b.index] = i;
    const std::string& in = results.experiment.cases[at_a.case_index].name;
    comparison.points.push_back({at_a.case_index == at_b.case_index ? in : "", at_a.x, {}});
  }
  using Verdicts = std::map<std::int64_t, CurveVerdict>;  // by set
  std::vector<Verdicts> of_a(comparison.points.size()), of_b(comparison.points.size());
  const auto problem = for_each_set(store, results, [&](const StoredSet& set) {
    if (const auto in = place_a.find(set.point); in != place_a.end()) {
      of_a[in->second][set.set] = set.curves[first->curve];
    }
    if (const auto in = place_b.find(set.point); in != place_b.end()) {
      of_b[in->second][set.set] = set.curves[second->curve];
    }
  });
  if (problem) return *problem;
  for (std::size_t i = 0; i < comparison.points.size(); ++i) {
    for (const auto& [set, verdict] : of_a[i]) {
      const auto other = of_b[i].find(set);
      if (other != of_b[i].end()) count(verdict, other->second, comparison.points[i].counts);
    }
  }
  for (const PairedPoint& point : comparison.points) comparison.total += point.counts;
  return comparison;
}

}  // namespace tactus::experiment
