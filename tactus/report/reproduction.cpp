#include "tactus/report/reproduction.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tactus/experiment/results/claims.hpp"
#include "tactus/report/experiments.hpp"

namespace tactus::report {
namespace {

using namespace experiment;

/// A text in a cell of a table: nothing in it is markup but the backquotes of code.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '[' || c == ']') out += '\\';
    if (c == '<') {
      out += "&lt;";
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

std::string number(const Ours& ours, const Claim& claim) {
  if (!ours) return "";
  return std::isnan(*ours) ? "no bound" : shown_number(*ours, claim.tolerance);
}

std::string expected(const Claim& claim) {
  if (claim.paper.relation == Expected::Relation::kNothing) return "no bound";
  std::string text = cell(claim.paper.text);
  if (claim.tolerance > 0) text += fmt::format(" ± {:g}", claim.tolerance);
  return text;
}

/// The number without what it is a number of: the paper gives none.
std::string whose(const Claim& claim) { return claim.own_threshold ? " (ours)" : ""; }

struct Tally {
  int inside = 0, explained = 0, outside = 0;
  std::map<Basis, int> weaker;  ///< inside, but something was adjusted to be there

  void add(const Judgement& judgement) {
    const Basis basis = judgement.claim->basis;
    if (judgement.outcome == Outcome::kOutside) {
      ++(judgement.explained() ? explained : outside);
    } else if (judgement.outcome == Outcome::kInside) {
      ++(judgement.stands() || basis == Basis::kOwn ? inside : weaker[basis]);
    }
  }
  int all_weaker() const {
    int sum = 0;
    for (const auto& [basis, count] : weaker) sum += count;
    return sum;
  }
};

/// Sets of the points that were run, as "10 points of 1000 sets".
std::string size_of(const Results& results) {
  std::int64_t points = 0, fewest = INT64_MAX, most = 0;
  for (const Point& point : results.points) {
    const std::int64_t sets = results.cell(point.index, 0).sets;
    if (sets == 0) continue;
    ++points;
    fewest = std::min(fewest, sets);
    most = std::max(most, sets);
  }
  if (results.experiment.system) return fmt::format("{} tasks", points);
  if (points == 0) return "not run";
  return fewest == most ? fmt::format("{} points, {} sets each", points, most)
                        : fmt::format("{} points, {} to {} sets each", points, fewest, most);
}

std::string outcome_cell(const Judgement& judgement) {
  if (judgement.outcome == Outcome::kOutside) {
    return judgement.explained() ? "differs, explained below" : "**outside**";
  }
  const Claim& claim = *judgement.claim;
  if (judgement.outcome != Outcome::kInside || judgement.stands()) {
    return std::string(to_string(judgement.outcome));
  }
  return fmt::format("inside, {}{}{}", to_string(claim.basis), claim.basis_note.empty() ? "" : ": ",
                     cell(claim.basis_note));
}

std::string claims_of(const std::vector<Judgement>& judgements) {
  std::string text =
      "| | claim | where | paper | ours, as published | ours, safe | "
      "|\n|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const Judgement& judgement = judgements[i];
    const Claim& claim = *judgement.claim;
    const std::string unit =
        claim.unit.empty() ? std::string() : fmt::format(" {}", cell(claim.unit));
    const auto with_unit = [&](const std::string& value) {
      return value.empty() || value == "no bound" ? value : value + unit;
    };
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", i + 1, cell(claim.text),
                        cell(claim.where), with_unit(expected(claim)) + whose(claim),
                        with_unit(number(judgement.paper, claim)),
                        with_unit(number(judgement.safe, claim)), outcome_cell(judgement));
  }
  std::string reasons;
  for (const auto& [claims, why, test] : explanations_of(judgements)) {
    reasons += fmt::format("- Claim{} {}: {}.", claims.size() == 1 ? "" : "s",
                           fmt::join(claims, ", "), cell(why));
    if (!test.empty()) reasons += fmt::format(" Tested by `{}`.", test);
    reasons += '\n';
  }
  return reasons.empty() ? text : fmt::format("{}\n{}", text, reasons);
}

std::string section_of(const Results& results, const std::string& images) {
  const Experiment& experiment = results.experiment;
  std::string text = fmt::format("### {}\n\n{}: {}; {}.\n\n", experiment.name, experiment.figure,
                                 cell(experiment.title), size_of(results));
  if (!images.empty()) {
    text += fmt::format("![{}]({}/{}.svg)\n\n", cell(experiment.title), images, experiment.name);
  }
  if (!experiment.note.empty()) text += cell(experiment.note) + "\n\n";
  return text + claims_of(judge_claims(results)) + "\n";
}

/// Per method, what it accepts as published and safe, and what became of the difference.
std::string cost_of_safety(const Results& results) {
  const auto total = [&](std::size_t curve, std::int64_t experiment::Cell::*count) {
    std::int64_t sum = 0;
    for (const Point& point : results.points) sum += results.cell(point.index, curve).*count;
    return sum;
  };
  const auto percent = [](std::int64_t part, std::int64_t whole) {
    if (whole == 0) return std::string("-");
    return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
  };
  const auto missed = [&](std::size_t curve) {
    double sets = 0;
    for (const Point& point : results.points) {
      const experiment::Cell& cell = results.cell(point.index, curve);
      if (cell.values > 0) sets += cell.y * static_cast<double>(cell.values) / 100;
    }
    return static_cast<std::int64_t>(std::llround(sets));
  };
  const auto& simulation = results.experiment.simulation;
  std::string text = fmt::format(
      "The sets of {} ([{}](#{}); {}). Simulated runs per accepted set: {}; jobs of the slowest "
      "task "
      "per run: {}. Where tasks have no deadlines, every set counts, and its bound takes the place "
      "of a deadline.\n\n"
      "| method | accepted, as published | accepted, safe | sets that only the published form "
      "accepts | of these, a deadline is missed | of those that safe accepts |\n"
      "|---|---|---|---|---|---|\n",
      cell(results.experiment.figure), results.experiment.name, results.experiment.name,
      size_of(results), simulation.runs, simulation.jobs);
  for (std::size_t line = 0; line < results.experiment.lines.size(); ++line) {
    const Curve& safe = curve_of(results.curves, line, "safe");
    const Curve& paper = curve_of(results.curves, line, "paper");
    if (paper.index == safe.index) continue;
    const std::int64_t sets = total(safe.index, &experiment::Cell::sets);
    const std::int64_t only = total(paper.index, &experiment::Cell::values);
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", cell(results.experiment.lines[line].label),
                    percent(total(paper.index, &experiment::Cell::accepted), sets),
                    percent(total(safe.index, &experiment::Cell::accepted), sets), only,
                    percent(missed(paper.index), only),
                    percent(missed(safe.index), total(safe.index, &experiment::Cell::values)));
  }
  return text + '\n';
}

/// "fig8" before "fig10": runs of digits compare as numbers.
bool natural_less(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::size_t from_i = i, from_j = j;
      while (i < a.size() && is_digit(a[i])) ++i;
      while (j < b.size() && is_digit(b[j])) ++j;
      if (i - from_i != j - from_j) return i - from_i < j - from_j;
      const int order = a.substr(from_i, i - from_i).compare(b.substr(from_j, j - from_j));
      if (order != 0) return order < 0;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

/// Of our own methods and comparisons, not of a paper.
bool is_own(const Results& results) { return results.experiment.paper.starts_with("Tactus"); }

/// Paper by paper, the figures in their order; our own come last.
std::vector<const Results*> in_order(const std::vector<Results>& all) {
  std::vector<const Results*> order;
  order.reserve(all.size());
  for (const Results& results : all) order.push_back(&results);
  std::stable_sort(order.begin(), order.end(), [](const Results* a, const Results* b) {
    if (is_own(*a) != is_own(*b)) return is_own(*b);
    return natural_less(a->experiment.name, b->experiment.name);
  });
  return order;
}

std::string how_made(const RunHistory& history) {
  std::string text = fmt::format("| | |\n|---|---|\n| version | Tactus {} |\n", history.version);
  std::string machine;
  constexpr std::size_t kMostShown = 5;
  if (history.runs.size() > kMostShown) {
    double seconds = 0;
    for (const RunRecord& run : history.runs) seconds += run.seconds.value_or(0);
    return text + fmt::format(
                      "| machine | {} |\n| runs | {}, one after another into one store, "
                      "from {} to {}: {:.0f} s |\n\n",
                      cell(history.runs.back().machine), history.runs.size(),
                      history.runs.front().started, history.runs.back().started, seconds);
  }
  for (const RunRecord& run : history.runs) {
    if (run.machine != machine) text += fmt::format("| machine | {} |\n", cell(run.machine));
    machine = run.machine;
    std::string workers = fmt::format("{} of {} cores", run.threads, run.cpus);
    if (run.ranks > 1) workers = fmt::format("{} ranks, {} threads each", run.ranks, run.threads);
    text +=
        fmt::format("| run | `{}`, {}: {}, {} |\n", run.command, run.started,
                    run.seconds ? fmt::format("{:.0f} s", *run.seconds) : "not finished", workers);
  }
  return text + "\n";
}

/// What "inside, but adjusted" means, with how many there are of each kind.
std::string adjusted(const Tally& tally) {
  static const std::map<Basis, std::string_view> kMeaning = {
      {Basis::kFitted, "after a free number was fitted to them"},
      {Basis::kChosen, "in one of several readings, where another one disagrees"},
      {Basis::kSample, "against a small sample that is not in the paper"},
  };
  std::string text;
  for (const auto& [basis, count] : tally.weaker) {
    text += fmt::format("{}{} {}", text.empty() ? "Inside, but adjusted: " : "; ", count,
                        kMeaning.at(basis));
  }
  return text.empty() ? text : text + ". These are weak evidence at most.\n\n";
}

/// Of all experiments that simulate what their methods accept.
std::string costs_of_safety(const std::vector<Results>& all) {
  std::string text;
  for (const Results* results : in_order(all)) {
    if (results->experiment.measure == Measure::kMissed) text += cost_of_safety(*results);
  }
  return text.empty() ? text : fmt::format("## The cost of safety\n\n{}", text);
}

}  // namespace

std::string reproduction_page(const std::vector<Results>& all, const RunHistory& history,
                              const std::string& images, const std::string& preface) {
  std::string text =
      "# The published figures, reproduced\n\n"
      "This page is written by `tactus lab plot RESULTS --report FILE` from a recorded run; "
      "nothing in "
      "it "
      "is edited by hand.\n\n" +
      how_made(history) + preface + costs_of_safety(all) +
      "## The experiments\n\n"
      "\"As published\" computes the equations as they are printed, or, where none are, what the "
      "text describes: for comparison only, since a simulation exceeds some of those bounds. "
      "\"Safe\" is what Tactus proves by default. A claim "
      "is judged "
      "as published where it can be, else safe. A threshold marked \"ours\" is not in the paper. "
      "Bands in the figures are 95 % intervals.\n\n"
      "| experiment | figure | size | claims inside | inside, but adjusted | differ, explained | "
      "outside |\n"
      "|---|---|---|---|---|---|---|\n";
  Tally of_papers, of_ours;
  std::string sections, paper;
  for (const Results* each : in_order(all)) {
    const Results& results = *each;
    Tally tally;
    for (const Judgement& judgement : judge_claims(results)) {
      const bool own = is_own(results) || judgement.claim->basis == Basis::kOwn;
      tally.add(judgement);
      (own ? of_ours : of_papers).add(judgement);
    }
    const Experiment& experiment = results.experiment;
    text += fmt::format("| [{0}](#{0}) | {1} | {2} | {3} | {4} | {5} | {6} |\n", experiment.name,
                        experiment.figure, size_of(results), tally.inside, tally.all_weaker(),
                        tally.explained, tally.outside);
    if (experiment.paper != paper) sections += fmt::format("## {}\n\n", cell(experiment.paper));
    paper = experiment.paper;
    sections += section_of(results, images);
  }
  const auto total = [](std::string_view of, const Tally& sum) {
    return fmt::format("| {} | | | {} | {} | {} | {} |\n", of, sum.inside, sum.all_weaker(),
                       sum.explained, sum.outside);
  };
  text += total("**all that the papers claim**", of_papers) +
          total("explanations, and our own claims", of_ours) + '\n' + adjusted(of_papers);
  while (sections.ends_with("\n\n")) sections.pop_back();
  return text + sections;
}

}  // namespace tactus::report
