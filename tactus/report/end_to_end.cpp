#include "tactus/report/end_to_end.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tactus/methods/end_to_end.hpp"
#include "tactus/methods/plan.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus {
namespace report {
namespace {

/// On a narrower terminal a table shows less.
constexpr int kRoomForAll = 72;

/// "camera > detect": the tasks of a path, the first first.
std::string path_to(const System& system, TaskIndex task) {
  std::string path = system.tasks[task].name;
  while (const auto before = system.tasks[task].after) {
    task = *before;
    path = fmt::format("{} > {}", system.tasks[task].name, path);
  }
  return path;
}

std::optional<Time> tighter(const Chain& chain) {
  if (!chain.reaction || !chain.age) return chain.reaction ? chain.reaction : chain.age;
  return std::min(*chain.reaction, *chain.age);
}

std::string listed(const System& system, const Chain& chain) {
  std::string names;
  for (const TaskIndex task : chain.tasks) {
    names += fmt::format("{}{}", names.empty() ? "" : " > ", system.tasks[task].name);
  }
  return names;
}

}  // namespace

std::string end_to_end_text(const Verdict& verdict, const System& system, const Style& style) {
  const auto shown = [&](const std::optional<Time>& time) {
    return time ? format_time(*time, system.time_unit) : std::string("-");
  };
  const int names = style.fold < kRoomForAll ? 10 : style.fold / 3;
  std::string out;
  Table paths({{"path"}, {with_unit("latency", system), Align::kRight}});
  for (const TaskVerdict& task : verdict.tasks) {
    if (!task.latency) continue;
    paths.add({shortened(path_to(system, task.task), std::max(12, style.fold - 20), style),
               shown(task.latency)});
  }
  if (!paths.empty()) out += paths.render(style);
  if (verdict.chains.empty()) return out;
  const bool narrow = style.fold < kRoomForAll;
  std::vector<Table::Column> columns = {
      {"chain"}, {narrow ? "bound" : with_unit("bound", system), Align::kRight}};
  if (narrow) {
    columns.push_back({"limit", Align::kRight});
  } else {
    for (const char* title : {"reaction", "age"}) columns.push_back({title, Align::kRight});
    columns.push_back({"phases"});
  }
  columns.push_back({"holds"});
  Table chains(std::move(columns));
  for (const ChainVerdict& found : verdict.chains) {
    const Chain& chain = system.chains[found.chain];
    const Ink ink = found.holds ? Ink::kPlain : Ink::kRed;
    std::vector<Cell> row = {shortened(chain.name, names, style),
                             {found.bound ? shown(found.bound) : "none", ink}};
    if (narrow) {
      row.emplace_back(shown(tighter(chain)));
    } else {
      row.emplace_back(shown(chain.reaction));
      row.emplace_back(shown(chain.age));
      row.emplace_back(chain.phases == Chain::Phases::kFixed ? "fixed" : "any");
    }
    row.push_back({found.holds ? "yes" : "no", found.holds ? Ink::kGreen : Ink::kRed});
    chains.add(std::move(row));
    if (narrow) continue;
    chains.add(
        {{shortened("  " + listed(system, chain), names, style), Ink::kDim}, "", "", "", "", ""});
  }
  return out + chains.render(style);
}

std::string chain_made_of(const Verdict& verdict, const System& system, std::string_view whose) {
  constexpr std::string_view kChain = "chain ";
  if (!whose.starts_with(kChain)) return {};
  for (const ChainVerdict& found : verdict.chains) {
    const Chain& chain = system.chains[found.chain];
    const auto limit = tighter(chain);
    if (chain.name != whose.substr(kChain.size()) || !found.bound || !limit) continue;
    std::vector<std::pair<Time, std::string>> parts;
    for (const ChainPart& part : chain_parts(system, verdict, found)) {
      const std::string& name = system.tasks[part.last].name;
      parts.emplace_back(part.wait, fmt::format("until {} reads", name));
      parts.emplace_back(part.takes, name);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    constexpr std::size_t kNamed = 3;
    std::string out;
    for (std::size_t k = 0; k < std::min(kNamed, parts.size()); ++k) {
      out += fmt::format("{}{} {}", k == 0 ? "" : ", ", parts[k].second,
                         format_time(parts[k].first, system.time_unit));
    }
    return fmt::format("{}, {} of {}: {}", whose, format_time(*found.bound, system.time_unit),
                       format_time(*limit, system.time_unit), out);
  }
  return {};
}

std::vector<ChainRow> chain_rows(const Verdict& verdict) {
  std::vector<ChainRow> rows;
  for (const ChainVerdict& found : verdict.chains) rows.push_back({verdict, found});
  return rows;
}

}  // namespace report

using namespace codec;  // the words of the tables
using report::ChainRow;

namespace {

struct PartRow {
  std::vector<TaskIndex> tasks;
  Time waits, takes;
};

std::vector<PartRow> parts_of(const System& system, const ChainRow& row) {
  std::vector<PartRow> rows;
  auto task = system.chains[row.found.chain].tasks.begin();
  for (const ChainPart& part : chain_parts(system, row.verdict, row.found)) {
    PartRow& out = rows.emplace_back(PartRow{{}, part.wait, part.takes});
    do {
      out.tasks.push_back(*task);
    } while (*task++ != part.last);
  }
  return rows;
}

}  // namespace

template <>
std::span<const Field<PartRow>> fields<PartRow>() {
  static constexpr auto kTable = std::to_array<Field<PartRow>>({
      always<&PartRow::tasks, List<TaskName>>("tasks",
                                              "One, or several of which each starts the next"),
      always<&PartRow::waits, TimeSeen>("waits",
                                        "Until the job arrives that reads; at first, a period"),
      always<&PartRow::takes, TimeSeen>("takes", "From that arrival to the end"),
  });
  return kTable;
}

template <>
std::span<const Field<ChainRow>> fields<ChainRow>() {
  static constexpr auto kTable = std::to_array<Field<ChainRow>>({
      always<Line>("name", "Its name",
                   [](const System& system, const ChainRow& row) {
                     return std::string_view(system.chains[row.found.chain].name);
                   }),
      always<OrNull<TimeSeen>>("bound", "Of reaction and of age; null: there is none",
                               [](const ChainRow& row) { return row.found.bound; }),
      always<Flag>("holds", "Is it within `reaction` and `age`?",
                   [](const ChainRow& row) { return row.found.holds; }),
      always<parts_of, List<Object<PartRow>>>("parts",
                                              "What its bound is the sum of, without null"),
  });
  return kTable;
}

}  // namespace tactus
