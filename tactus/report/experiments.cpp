#include "tactus/report/experiments.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tactus/experiment/describe/format.hpp"
#include "tactus/experiment/results/claims.hpp"
#include "tactus/report/text/csv.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/table_parts.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {

using namespace experiment;

namespace {

std::string heading(const Results& results) {
  const Experiment& experiment = results.experiment;
  std::string text = fmt::format("{}: {}", experiment.name, experiment.title);
  if (!experiment.figure.empty()) text += fmt::format(" ({})", experiment.figure);
  return text;
}

std::string shown_ours(const Ours& ours, const Claim& claim, Measure measure) {
  if (!ours) return "-";
  if (!std::isnan(*ours)) return shown_number(*ours, claim.tolerance);
  return measure == Measure::kBound ? "no bound" : "no value";
}

/// Lines that did not answer for all sets: an average hides what it leaves out.
std::string gaps_text(const Results& results) {
  std::string text;
  for (const Curve& curve : results.curves) {
    std::int64_t sets = 0, not_applicable = 0, undecided = 0, values = 0;
    for (const Point& point : results.points) {
      const experiment::Cell& cell = results.cell(point.index, curve.index);
      sets += cell.sets;
      not_applicable += cell.not_applicable;
      undecided += cell.undecided;
      values += cell.values;
    }
    const std::string line =
        fmt::format("  {} ({})", results.experiment.lines[curve.line].name, curve.variant);
    const std::string of =
        fmt::format("of {} {}", sets, results.experiment.system ? "tasks" : "sets");
    if (not_applicable > 0) {
      const std::string& why =
          curve.index < results.reasons.size() ? results.reasons[curve.index] : std::string();
      text += fmt::format("{}: not applicable to {} {}, which do not count{}{}\n", line,
                          not_applicable, of, why.empty() ? "" : ": ", why);
    }
    if (undecided > 0) text += fmt::format("{}: undecided on {} {}\n", line, undecided, of);
    const std::int64_t missing = sets - values - not_applicable - undecided;
    if (missing <= 0 || is_simulated(results.experiment.measure)) continue;  // of accepted sets
    text +=
        fmt::format("{}: no {} for {} {}\n", line,
                    results.experiment.measure == Measure::kBound ? "bound" : "value", missing, of);
  }
  return text;
}

Ink ink_of(Outcome outcome) {
  if (outcome == Outcome::kNotJudged) return Ink::kDim;
  return outcome == Outcome::kInside ? Ink::kGreen : Ink::kYellow;
}

std::string tolerance_of(const Claim& claim) {
  return claim.tolerance > 0 ? fmt::format(" ±{:g}", claim.tolerance) : std::string();
}

/// The paper's number, and whose it is.
std::string expected_of(const Claim& claim) {
  return claim.paper.text + tolerance_of(claim) + (claim.own_threshold ? " (ours)" : "");
}

/// What asks for attention comes first.
int rank_of(const Judgement& judgement) {
  if (judgement.outcome == Outcome::kInside) return 3;
  if (judgement.outcome == Outcome::kNotJudged) return 2;
  return judgement.explained() ? 1 : 0;
}

std::string outcome_of(const Judgement& judgement) {
  const std::string outcome(to_string(judgement.outcome));
  if (judgement.explained()) return outcome + ", see below";
  if (judgement.outcome != Outcome::kInside || judgement.stands()) return outcome;
  return fmt::format("{}, {}", outcome, to_string(judgement.claim->basis));
}

/// The claims in this order: a table, or a paragraph each where they are too long for one.
std::string claims_listed(const std::vector<Judgement>& judgements,
                          const std::vector<std::size_t>& order, Measure measure,
                          const Style& style) {
  if (order.empty()) return {};
  constexpr int kLongest = 60;
  const bool table_fits = std::all_of(order.begin(), order.end(), [&](std::size_t i) {
    return display_width(judgements[i].claim->text) <= kLongest;
  });
  Table table({{"claim"},
               {"paper", Align::kRight},
               {"ours (safe)", Align::kRight},
               {"ours (paper)", Align::kRight},
               {"unit"},
               {"judged"}});
  std::string paragraphs;
  for (const std::size_t i : order) {
    const Judgement& judgement = judgements[i];
    const Claim& claim = *judgement.claim;
    const std::string number = fmt::format("{}. ", i + 1);
    const std::string safe = shown_ours(judgement.safe, claim, measure);
    const std::string paper = shown_ours(judgement.paper, claim, measure);
    if (table_fits) {
      table.add({number + claim.text,
                 expected_of(claim),
                 safe,
                 paper,
                 claim.unit,
                 {outcome_of(judgement), ink_of(judgement.outcome)}});
    } else {
      const std::string unit = claim.unit.empty() ? std::string() : ' ' + claim.unit;
      const std::string printed =
          judgement.paper ? fmt::format(", {} (paper)", paper) : std::string();
      paragraphs +=
          paragraph("  " + number,
                    fmt::format("{}: paper {}{}, ours {} (safe){}: {}", claim.text,
                                expected_of(claim), unit, safe, printed, outcome_of(judgement)),
                    style);
    }
  }
  return table_fits ? table.render(style, "  ") : paragraphs;
}

/// How many claims are inside, and how many of these say less than that.
std::string inside_line(const std::vector<Judgement>& judgements) {
  int inside = 0;
  std::map<Basis, int> weaker;
  for (const Judgement& judgement : judgements) {
    if (judgement.outcome != Outcome::kInside) continue;
    ++inside;
    if (!judgement.stands()) ++weaker[judgement.claim->basis];
  }
  if (inside == 0) return {};
  std::string which;
  for (const auto& [basis, count] : weaker) {
    which += fmt::format(", {} of them {}", count, to_string(basis));
  }
  return fmt::format("  {} of {} claims are inside{} (--all shows them)\n", inside,
                     judgements.size(), which);
}

/// The variants that lines have, in order of appearance.
std::vector<std::string> variants_of(const Results& results) {
  std::vector<std::string> variants;
  for (const Curve& curve : results.curves) {
    if (std::find(variants.begin(), variants.end(), curve.variant) == variants.end()) {
      variants.push_back(curve.variant);
    }
  }
  return variants;
}

std::string measured(const Experiment& experiment) {
  switch (experiment.measure) {
    case Measure::kAccepted:
      return "percent of the sets accepted";
    case Measure::kBound:
      return experiment.relative_to.empty()
                 ? "mean bound, ms"
                 : fmt::format("mean bound, in bounds of {}", experiment.relative_to);
    case Measure::kFigure:
      return "mean of a figure";
    case Measure::kTime:
      return "mean time of the analysis, ms";
    case Measure::kMissed:
      return "percent of the accepted sets in which a simulated job misses its deadline";
    case Measure::kTightness:
      return experiment.figure_name == experiment::kOfChains
                 ? "mean of bound / longest simulated reaction or age of a chain"
                 : "mean of bound / longest simulated response";
  }
  return {};
}

}  // namespace

std::string shown_number(double value, double tolerance) {
  constexpr int kUsual = 4, kMost = 9;
  int digits = kUsual;
  if (tolerance > 0 && std::abs(value) > tolerance) {
    digits = static_cast<int>(std::ceil(std::log10(std::abs(value) / tolerance))) + 1;
  }
  return std::isnan(value) ? "-" : fmt::format("{:.{}g}", value, std::clamp(digits, kUsual, kMost));
}

int unexplained_claims(const Results& results) {
  const std::vector<Judgement> judgements = judge_claims(results);
  return static_cast<int>(
      std::count_if(judgements.begin(), judgements.end(), [](const Judgement& judgement) {
        return judgement.outcome == Outcome::kOutside && !judgement.explained();
      }));
}

std::string claims_text(const Results& results, const Style& style, Shown shown) {
  const std::vector<Judgement> judgements = judge_claims(results);
  if (judgements.empty()) return points_text(results, style);
  std::string text = inked(heading(results), Ink::kBold, style) + '\n';
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    if (shown == Shown::kAll || judgements[i].outcome != Outcome::kInside) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rank_of(judgements[a]) < rank_of(judgements[b]);
  });
  text += claims_listed(judgements, order, results.experiment.measure, style);
  if (shown == Shown::kOutside) text += inside_line(judgements);
  for (const auto& [claims, why, test] : explanations_of(judgements)) {
    text += paragraph(fmt::format("  {}: ", fmt::join(claims, ", ")), why, style);
    if (!test.empty()) text += fmt::format("    tested by: {}\n", test);
  }
  text += gaps_text(results);
  if (!results.experiment.note.empty())
    text += paragraph("  Note: ", results.experiment.note, style);
  return text;
}

std::string points_text(const Results& results, const Style& style) {
  std::string text = inked(heading(results), Ink::kBold, style) + '\n';
  const auto& lines = results.experiment.lines;
  double widest = 0;
  for (const std::string& variant : variants_of(results)) {
    for (std::size_t in = 0; in < results.experiment.cases.size(); ++in) {
      std::vector<Table::Column> columns = {{"x"}, {"sets", Align::kRight}};
      std::vector<std::size_t> curves;
      for (const Curve& curve : results.curves) {
        if (curve.variant != variant) continue;
        curves.push_back(curve.index);
        columns.push_back({lines[curve.line].name, Align::kRight});
      }
      Table table(std::move(columns));
      for (const Point& point : results.points) {
        if (point.case_index != in || results.cell(point.index, 0).sets == 0) continue;
        std::vector<report::Cell> row = {point.x,
                                         std::to_string(results.cell(point.index, 0).sets)};
        for (std::size_t curve : curves) {
          const experiment::Cell& cell = results.cell(point.index, curve);
          const bool never = cell.sets > 0 && cell.not_applicable == cell.sets;
          row.emplace_back(never ? "n/a" : cell.sets == 0 ? "-" : shown_number(cell.y));
          if (cell.high - cell.low > widest) widest = cell.high - cell.low;
        }
        table.add(std::move(row));
      }
      if (table.empty()) continue;
      const bool weighted = std::any_of(curves.begin(), curves.end(), [&](std::size_t curve) {
        return std::isfinite(results.weighted_of(in, curve).percent);
      });
      if (weighted) {
        std::vector<report::Cell> row = {"weighted", ""};
        for (std::size_t curve : curves) {
          row.emplace_back(shown_number(results.weighted_of(in, curve).percent));
        }
        table.add(std::move(row));
      }
      const std::string& label = results.experiment.cases[in].label;
      text += fmt::format("  variant {}{}{}: {}\n", variant, label.empty() ? "" : ", ", label,
                          measured(results.experiment));
      text += in_parts(table, 2, style, "    ");
    }
  }
  const bool any = std::any_of(results.cells.begin(), results.cells.end(),
                               [](const experiment::Cell& cell) { return cell.sets > 0; });
  if (!any) return text + "  no sets yet\n";
  text += fmt::format("  95 % intervals are at most {} wide\n", shown_number(widest));
  return text + gaps_text(results);
}

std::string points_csv(const std::vector<Results>& all) {
  std::string text =
      "experiment,case,x,line,method,variant,sets,accepted,undecided,not_applicable,values,y,low,"
      "high,least,quartile1,median,quartile3,most\n";
  const auto number = [](double value) {
    return std::isnan(value) ? std::string() : fmt::format("{}", value);
  };
  for (const Results& results : all) {
    for (const Point& point : results.points) {
      for (const Curve& curve : results.curves) {
        const experiment::Cell& cell = results.cell(point.index, curve.index);
        if (cell.sets == 0) continue;
        const Line& line = results.experiment.lines[curve.line];
        const std::string fields[] = {std::to_string(cell.sets),
                                      std::to_string(cell.accepted),
                                      std::to_string(cell.undecided),
                                      std::to_string(cell.not_applicable),
                                      std::to_string(cell.values),
                                      number(cell.y),
                                      number(cell.low),
                                      number(cell.high),
                                      number(cell.least),
                                      number(cell.quartile1),
                                      number(cell.median),
                                      number(cell.quartile3),
                                      number(cell.most)};
        std::vector<std::string_view> columns = {results.experiment.name,
                                                 results.experiment.cases[point.case_index].name,
                                                 point.x,
                                                 line.name,
                                                 line.method,
                                                 curve.variant};
        columns.insert(columns.end(), std::begin(fields), std::end(fields));
        text += csv_line(columns);
      }
    }
  }
  return text;
}

std::string weighted_csv(const std::vector<Results>& all) {
  std::string text = "experiment,case,line,method,variant,sets,not_applicable,weighted,low,high\n";
  for (const Results& results : all) {
    for (std::size_t in = 0; in < results.experiment.cases.size(); ++in) {
      for (const Curve& curve : results.curves) {
        const Weighted& weighted = results.weighted_of(in, curve.index);
        if (!std::isfinite(weighted.percent)) continue;
        const Line& line = results.experiment.lines[curve.line];
        const std::string numbers[] = {
            std::to_string(weighted.sets), std::to_string(weighted.not_applicable),
            fmt::format("{}", weighted.percent), fmt::format("{}", weighted.low),
            fmt::format("{}", weighted.high)};
        std::vector<std::string_view> fields = {results.experiment.name,
                                                results.experiment.cases[in].name, line.name,
                                                line.method, curve.variant};
        fields.insert(fields.end(), std::begin(numbers), std::end(numbers));
        text += csv_line(fields);
      }
    }
  }
  return text;
}

}  // namespace tactus::report
