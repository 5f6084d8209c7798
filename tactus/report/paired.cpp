#include "tactus/report/paired.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/json_writer.hpp"
#include "tactus/experiment/describe/intervals.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/text/csv.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::report {

using namespace experiment;

namespace {

double p_of(const PairCounts& counts) { return mcnemar(counts.only_a, counts.only_b); }

std::string shown_p(double p) { return p < 1e-6 ? "< 1e-06" : fmt::format("{:.2g}", p); }

std::vector<Cell> row_of(const std::string& in, const std::string& x, const PairCounts& counts) {
  return {in,
          x,
          std::to_string(counts.sets()),
          std::to_string(counts.both),
          std::to_string(counts.only_a),
          std::to_string(counts.only_b),
          std::to_string(counts.neither),
          std::to_string(counts.not_applicable),
          counts.sets() == 0 ? "-" : shown_p(p_of(counts))};
}

void write_counts(json::Writer& out, const PairCounts& counts) {
  out.key("sets").integer(counts.sets());
  out.key("both").integer(counts.both);
  out.key("only_a").integer(counts.only_a);
  out.key("only_b").integer(counts.only_b);
  out.key("neither").integer(counts.neither);
  out.key("not_applicable").integer(counts.not_applicable);
  out.key("p").number(fmt::format("{}", p_of(counts)));
}

}  // namespace

std::string paired_text(const Comparison& comparison, const Style& style) {
  std::string text = inked(fmt::format("{}: {} against {}, set by set", comparison.experiment,
                                       comparison.a, comparison.b),
                           Ink::kBold, style) +
                     '\n';
  Table table({{"case"},
               {"x"},
               {"sets", Align::kRight},
               {"both accept", Align::kRight},
               {fmt::format("only {}", comparison.a), Align::kRight},
               {fmt::format("only {}", comparison.b), Align::kRight},
               {"neither", Align::kRight},
               {"n/a", Align::kRight},
               {"p", Align::kRight}});
  for (const PairedPoint& point : comparison.points) {
    if (point.counts == PairCounts{}) continue;
    table.add(row_of(point.case_name, point.x, point.counts));
  }
  table.add(row_of("all", "", comparison.total));
  return text + table.render(style, "  ") +
         "  p: McNemar's test, two-sided: how likely two equally good methods would differ as "
         "much\n";
}

std::string paired_csv(const std::vector<Comparison>& all) {
  std::string text = "experiment,a,b,case,x,sets,both,only_a,only_b,neither,not_applicable,p\n";
  for (const Comparison& comparison : all) {
    for (const PairedPoint& point : comparison.points) {
      const PairCounts& counts = point.counts;
      const std::string numbers[] = {
          std::to_string(counts.sets()),  std::to_string(counts.both),
          std::to_string(counts.only_a),  std::to_string(counts.only_b),
          std::to_string(counts.neither), std::to_string(counts.not_applicable),
          fmt::format("{}", p_of(counts))};
      std::vector<std::string_view> fields = {comparison.experiment, comparison.a, comparison.b,
                                              point.case_name, point.x};
      fields.insert(fields.end(), std::begin(numbers), std::end(numbers));
      text += csv_line(fields);
    }
  }
  return text;
}

std::string paired_json(const std::vector<Comparison>& all) {
  json::Writer out;
  codec::begin_document(out, "comparisons");
  out.key("comparisons").begin_array();
  for (const Comparison& comparison : all) {
    out.begin_object().key("experiment").string(comparison.experiment);
    out.key("a").string(comparison.a).key("b").string(comparison.b);
    out.key("test").string("McNemar, two-sided");
    out.key("points").begin_array();
    for (const PairedPoint& point : comparison.points) {
      out.begin_object().key("case").string(point.case_name).key("x").string(point.x);
      write_counts(out, point.counts);
      out.end_object();
    }
    out.end_array().key("total").begin_object();
    write_counts(out, comparison.total);
    out.end_object().end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
