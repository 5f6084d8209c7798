#include "tactus/report/end_to_end.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/end_to_end.hpp"
#include "tactus/methods/plan.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
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

void write_chains(json::Writer& out, const Verdict& verdict, const System& system) {
  if (verdict.chains.empty()) return;
  out.key("chains").begin_array();
  for (const ChainVerdict& found : verdict.chains) {
    out.begin_object();
    out.key("name").string(system.chains[found.chain].name);
    write_time(out.key("bound"), found.bound, system.time_unit);
    out.key("holds").boolean(found.holds);
    out.key("parts").begin_array();
    const std::vector<TaskIndex>& tasks = system.chains[found.chain].tasks;
    auto task = tasks.begin();
    for (const ChainPart& part : chain_parts(system, verdict, found)) {
      out.begin_object().key("tasks").begin_array();
      for (bool last = false; !last; ++task) {
        out.string(system.tasks[*task].name);
        last = *task == part.last;
      }
      out.end_array();
      write_time(out.key("waits"), part.wait, system.time_unit);
      write_time(out.key("takes"), part.takes, system.time_unit);
      out.end_object();
    }
    out.end_array();
    out.end_object();
  }
  out.end_array();
}

}  // namespace tactus::report
