#include "tactus/report/survey.hpp"

#include <fmt/core.h>

#include <array>

#include "tactus/base/json_writer.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/verdict_csv.hpp"

namespace tactus::report {
namespace {

constexpr std::array kStatuses = {Status::kSchedulable, Status::kUnschedulable, Status::kUndecided,
                                  Status::kNotApplicable};

/// How many systems have each answer of the k-th method, in the order of the statuses.
std::array<std::size_t, kStatuses.size()> counts_of(std::span<const Surveyed> all, std::size_t k) {
  std::array<std::size_t, kStatuses.size()> counts{};
  for (const Surveyed& one : all) ++counts[static_cast<std::size_t>(one.verdicts[k].status)];
  return counts;
}

std::size_t methods_in(std::span<const Surveyed> all) {
  return all.empty() ? 0 : all.front().verdicts.size();
}

}  // namespace

std::string survey_text(std::span<const Surveyed> all, const Style& style) {
  Table table({{"method"},
               {"variant"},
               {"schedulable", Align::kRight},
               {"not", Align::kRight},
               {"undecided", Align::kRight},
               {"not applicable", Align::kRight},
               {"share", Align::kRight}});
  for (std::size_t k = 0; k < methods_in(all); ++k) {
    const auto counts = counts_of(all, k);
    std::vector<Cell> row = {all.front().verdicts[k].method, all.front().verdicts[k].variant};
    for (const std::size_t count : counts) row.emplace_back(std::to_string(count));
    // Of those that it covers: what a method does not apply to says nothing about it.
    const std::size_t covered = all.size() - counts[3];
    row.emplace_back(covered == 0 ? std::string("-")
                                  : fmt::format("{:.1f} %", 100.0 * static_cast<double>(counts[0]) /
                                                                static_cast<double>(covered)));
    table.add(std::move(row));
  }
  return fmt::format("{} systems; the share is of those to which a method applies\n", all.size()) +
         table.render(style, "  ");
}

std::string survey_csv(std::span<const Surveyed> all) {
  std::string out = verdict_csv_head("place");
  for (const Surveyed& one : all) {
    for (const Verdict& verdict : one.verdicts) {
      out += verdict_csv(one.system, verdict, one.place);
    }
  }
  return out;
}

std::string survey_json(std::span<const Surveyed> all) {
  json::Writer out;
  codec::begin_document(out, "survey");
  out.key("methods").begin_array();
  for (std::size_t k = 0; k < methods_in(all); ++k) {
    const auto counts = counts_of(all, k);
    out.begin_object().key("method").string(all.front().verdicts[k].method);
    out.key("variant").string(all.front().verdicts[k].variant);
    for (std::size_t s = 0; s < kStatuses.size(); ++s) {
      out.key(to_string(kStatuses[s])).integer(static_cast<std::int64_t>(counts[s]));
    }
    out.end_object();
  }
  out.end_array().key("systems").begin_array();
  for (const Surveyed& one : all) {
    out.begin_object().key("place").string(one.place).key("system").string(one.system.name);
    out.key("verdicts").begin_array();
    for (const Verdict& verdict : one.verdicts) {
      out.begin_object().key("method").string(verdict.method);
      out.key("status").string(to_string(verdict.status)).end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
