#include <fmt/core.h>

#include <cmath>

#include "tactus/base/json_writer.hpp"
#include "tactus/experiment/results/claims.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/experiments.hpp"
#include "tactus/report/text/csv.hpp"

namespace tactus::report {

using namespace experiment;

namespace {

void write_number(json::Writer& out, double value) {
  if (std::isfinite(value)) {
    out.number(fmt::format("{}", value));
  } else {
    out.null();
  }
}

void write_ours(json::Writer& out, const Ours& ours) {
  write_number(out, ours.value_or(std::nan("")));
}

void write_cell(json::Writer& out, const Results& results, const Point& point, const Curve& curve) {
  const experiment::Cell& cell = results.cell(point.index, curve.index);
  out.begin_object();
  out.key("line").string(results.experiment.lines[curve.line].name);
  out.key("variant").string(curve.variant);
  out.key("accepted").integer(cell.accepted);
  out.key("undecided").integer(cell.undecided);
  out.key("not_applicable").integer(cell.not_applicable);
  out.key("values").integer(cell.values);
  write_number(out.key("y"), cell.y);
  write_number(out.key("low"), cell.low);
  write_number(out.key("high"), cell.high);
  if (results.experiment.measure != Measure::kAccepted) {
    out.key("quartiles").begin_array();
    for (double value : {cell.least, cell.quartile1, cell.median, cell.quartile3, cell.most}) {
      write_number(out, value);
    }
    out.end_array();
  }
  out.end_object();
}

void write_points(json::Writer& out, const Results& results) {
  out.key("points").begin_array();
  for (const Point& point : results.points) {
    if (results.cell(point.index, 0).sets == 0) continue;
    out.begin_object();
    out.key("case").string(results.experiment.cases[point.case_index].name);
    out.key("x").string(point.x);
    out.key("seed").integer(static_cast<std::int64_t>(point.seed));
    out.key("sets").integer(results.cell(point.index, 0).sets);
    out.key("curves").begin_array();
    for (const Curve& curve : results.curves) write_cell(out, results, point, curve);
    out.end_array().end_object();
  }
  out.end_array();
}

void write_weighted(json::Writer& out, const Results& results) {
  out.key("weighted").begin_array();
  for (std::size_t in = 0; in < results.experiment.cases.size(); ++in) {
    for (const Curve& curve : results.curves) {
      const Weighted& weighted = results.weighted_of(in, curve.index);
      if (!std::isfinite(weighted.percent)) continue;
      out.begin_object().key("case").string(results.experiment.cases[in].name);
      out.key("line").string(results.experiment.lines[curve.line].name);
      out.key("variant").string(curve.variant);
      write_number(out.key("percent"), weighted.percent);
      write_number(out.key("low"), weighted.low);
      write_number(out.key("high"), weighted.high);
      out.end_object();
    }
  }
  out.end_array();
}

/// Why lines do not apply to all sets.
void write_reasons(json::Writer& out, const Results& results) {
  out.key("not_applicable").begin_array();
  for (const Curve& curve : results.curves) {
    if (curve.index >= results.reasons.size() || results.reasons[curve.index].empty()) continue;
    out.begin_object().key("line").string(results.experiment.lines[curve.line].name);
    out.key("variant").string(curve.variant);
    out.key("first_reason").string(results.reasons[curve.index]);
    out.end_object();
  }
  out.end_array();
}

void write_claims(json::Writer& out, const Results& results) {
  out.key("claims").begin_array();
  for (const Judgement& judgement : judge_claims(results)) {
    const Claim& claim = *judgement.claim;
    out.begin_object().key("claim").string(claim.text);
    out.key("where").string(claim.where);
    out.key("paper").string(claim.paper.text);
    out.key("tolerance").number(fmt::format("{}", claim.tolerance));
    out.key("unit").string(claim.unit);
    write_ours(out.key("safe"), judgement.safe);
    write_ours(out.key("as_printed"), judgement.paper);
    out.key("judged_by").string(judgement.judged_by);
    out.key("outcome").string(to_string(judgement.outcome));
    out.key("basis").string(to_string(claim.basis));
    out.key("basis_note").string(claim.basis_note);
    out.key("own_threshold").boolean(claim.own_threshold);
    out.key("deviation").string(claim.deviation);
    out.key("test").string(claim.test);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

std::string results_json(const std::vector<Results>& all) {
  json::Writer out;
  codec::begin_document(out, "experiments");
  out.key("experiments").begin_array();
  for (const Results& results : all) {
    out.begin_object();
    out.key("experiment").string(results.experiment.name);
    out.key("title").string(results.experiment.title);
    out.key("figure").string(results.experiment.figure);
    out.key("measure").string(to_string(results.experiment.measure));
    out.key("sets").integer(results.sets);
    write_points(out, results);
    write_weighted(out, results);
    write_reasons(out, results);
    write_claims(out, results);
    out.end_object();
  }
  out.end_array().end_object();
  return out.take();
}

std::string raw_csv_header(bool with_times) {
  return fmt::format("experiment,case,x,seed,set,utilisation,line,variant,status,value,place{}\n",
                     with_times ? ",ns" : "");
}

std::string raw_csv(const RawVerdict& verdict, bool with_times) {
  const std::string seed = std::to_string(verdict.seed), set = std::to_string(verdict.set);
  const std::string utilisation = std::to_string(verdict.utilisation);
  const std::string value = verdict.value ? std::to_string(*verdict.value) : std::string();
  const std::string ns = verdict.ns ? std::to_string(*verdict.ns) : std::string();
  std::vector<std::string_view> fields = {verdict.experiment,
                                          verdict.case_name,
                                          verdict.x,
                                          seed,
                                          set,
                                          utilisation,
                                          verdict.line,
                                          verdict.variant,
                                          to_string(verdict.status),
                                          value,
                                          verdict.place};
  if (with_times) fields.push_back(ns);
  return csv_line(fields);
}

std::string raw_json_line(const RawVerdict& verdict, bool with_times) {
  json::Writer out(json::Layout::kOneLine);
  const auto optional = [&](std::string_view key, std::optional<std::int64_t> value) {
    out.key(key);
    if (value) {
      out.integer(*value);
    } else {
      out.null();
    }
  };
  out.begin_object();
  out.key("experiment").string(verdict.experiment).key("case").string(verdict.case_name);
  out.key("x").string(verdict.x).key("seed").integer(verdict.seed);
  out.key("set").integer(verdict.set).key("utilisation").integer(verdict.utilisation);
  out.key("line").string(verdict.line).key("variant").string(verdict.variant);
  out.key("status").string(to_string(verdict.status));
  optional("value", verdict.value);
  if (!verdict.place.empty()) out.key("place").string(verdict.place);
  if (with_times) optional("ns", verdict.ns);
  out.end_object();
  return out.take();
}

}  // namespace tactus::report
