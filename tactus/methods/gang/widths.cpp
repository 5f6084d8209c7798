#include "tactus/methods/gang/widths.hpp"

#include <algorithm>

#include "tactus/base/json.hpp"

namespace tactus::gang {
namespace {

bool none_has_any(const Widths& widths) {
  return std::all_of(widths.begin(), widths.end(), [](const auto& own) { return own.empty(); });
}

}  // namespace

std::vector<NodeUnits> widths_of(const GangTask& task, const Entries& entries) {
  std::vector<NodeUnits> widths;
  for (std::size_t i = 0; i < task.pieces.size(); ++i) {
    const Piece& piece = task.pieces[i];
    if (piece.moldable) widths.push_back({piece.node, piece.choices[entries[i]].units});
  }
  return widths;
}

std::optional<Entries> entries_of(const GangTask& task, std::span<const NodeUnits> widths) {
  Entries entries(task.pieces.size());
  for (std::size_t i = 0; i < task.pieces.size(); ++i) {
    const Piece& piece = task.pieces[i];
    if (!piece.moldable) continue;
    const auto named = std::find_if(widths.begin(), widths.end(),
                                    [&](const NodeUnits& w) { return w.node == piece.node; });
    if (named == widths.end()) return std::nullopt;
    const auto entry = std::find_if(piece.choices.begin(), piece.choices.end(),
                                    [&](const TimesEntry& e) { return e.units == named->units; });
    if (entry == piece.choices.end()) return std::nullopt;
    entries[i] = static_cast<std::uint32_t>(entry - piece.choices.begin());
  }
  return entries;
}

void write_widths(json::Writer& out, const System& system, const Widths& widths) {
  out.begin_object();
  for (TaskIndex task = 0; task < widths.size(); ++task) {
    if (widths[task].empty()) continue;
    out.key(system.tasks[task].name).begin_object();
    for (const auto& [node, units] : widths[task]) {
      out.key(system.tasks[task].nodes[node].name).integer(units);
    }
    out.end_object();
  }
  out.end_object();
}

void note_widths(Verdict& verdict, const System& system, const Widths& widths) {
  if (none_has_any(widths)) return;
  json::Writer out(json::Layout::kOneLine);
  write_widths(out, system, widths);
  std::string text = out.take();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  verdict.figures.push_back({"widths", std::move(text)});
  for (TaskVerdict& task : verdict.tasks) task.widths = widths[task.task];
}

Widths noted_widths(const Verdict& verdict, const System& system) {
  Widths widths(system.tasks.size());
  for (const TaskVerdict& task : verdict.tasks) widths[task.task] = task.widths;
  return widths;
}

}  // namespace tactus::gang
