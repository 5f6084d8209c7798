#include "tactus/experiment/store/widen.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tactus/experiment/store/set_row.hpp"

namespace tactus::experiment {
namespace {

/// What decides the results, but for the lines.
std::string key_without_lines(Experiment experiment) {
  experiment.lines.clear();
  return key_of(experiment);
}

/// Of each curve now its place before; `none` if it is new.
std::vector<std::size_t> places_before(const Database& database, std::int64_t id,
                                       const Experiment& now, std::size_t& none) {
  std::vector<std::pair<std::string, std::string>> before;
  Statement rows(database, "SELECT line, variant FROM curves WHERE experiment = ? ORDER BY curve");
  rows.bind(id);
  while (rows.step()) before.emplace_back(rows.text(0), rows.text(1));
  std::vector<std::size_t> places;
  for (const Curve& curve : curves_of(now)) {
    const auto found = std::find(before.begin(), before.end(),
                                 std::pair(now.lines[curve.line].name, curve.variant));
    places.push_back(static_cast<std::size_t>(found - before.begin()));
  }
  none = before.size();
  return places;
}

void widen_point(const Database& database, std::int64_t id, std::int64_t point,
                 const std::vector<std::size_t>& places, std::size_t before) {
  std::vector<JudgedSet> sets;  // of one point: nothing is changed while it is being read
  Statement rows(database,
                 "SELECT set_index, statuses, amounts, times FROM sets "
                 "WHERE experiment = ? AND point = ? ORDER BY set_index");
  rows.bind(id).bind(point);
  CurveVerdict unknown;
  unknown.judged = false;
  while (rows.step()) {
    JudgedSet& set = sets.emplace_back();
    set.set = rows.integer(0);
    const auto known = read_row(rows.text(1), rows.text(2), rows.text(3), before, &set.draw_ns);
    for (const std::size_t place : places) {
      set.curves.push_back(place < before ? known[place] : unknown);
    }
  }
  Statement update(database,
                   "UPDATE sets SET statuses = ?, amounts = ?, times = ? "
                   "WHERE experiment = ? AND point = ? AND set_index = ?");
  SetRow row;
  for (const JudgedSet& set : sets) {
    write_row(set, row);
    update.bind(row.statuses).bind(row.amounts).bind(row.times);
    update.bind(id).bind(point).bind(set.set).run();
  }
}

/// Reasons go with their curves, whose numbers change.
void move_reasons(const Database& database, std::int64_t id,
                  const std::vector<std::size_t>& places) {
  // Beyond all numbers first, so that none is in the way of another.
  constexpr std::int64_t kAside = 1'000'000'000;
  Statement move(database, "UPDATE reasons SET curve = ? WHERE experiment = ? AND curve = ?");
  const auto to = [](std::size_t place) { return static_cast<std::int64_t>(place); };
  for (std::size_t now = 0; now < places.size(); ++now) {
    move.bind(kAside + to(now)).bind(id).bind(to(places[now])).run();
  }
  for (std::size_t now = 0; now < places.size(); ++now) {
    move.bind(to(now)).bind(id).bind(kAside + to(now)).run();
  }
}

}  // namespace

std::string why_not_widened(const Experiment& before, const Experiment& now) {
  if (key_without_lines(before) != key_without_lines(now)) return "its recipe or its points differ";
  if (before.lines.front().set != now.lines.front().set) {
    return "its first line, which weighs the sets, draws them in another form";
  }
  for (const Line& line : before.lines) {
    const auto same = std::find_if(now.lines.begin(), now.lines.end(),
                                   [&](const Line& other) { return other.name == line.name; });
    if (same == now.lines.end()) {
      return fmt::format("it has line {}, which is gone; lines can be added, not taken away",
                         quote(line.name));
    }
    const bool equal = same->method == line.method && same->options == line.options &&
                       same->figure == line.figure && same->set == line.set;
    if (!equal) return fmt::format("its line {} is another one", quote(line.name));
    for (const std::string& variant : line.variants) {
      if (std::find(same->variants.begin(), same->variants.end(), variant) != same->variants.end())
        continue;
      return fmt::format("its line {} has the variant {}, which is gone", quote(line.name),
                         quote(variant));
    }
  }
  return {};
}

void widen_sets(const Database& database, std::int64_t id, const Experiment& now) {
  std::size_t before = 0;
  const std::vector<std::size_t> places = places_before(database, id, now, before);
  const bool same = places.size() == before && std::is_sorted(places.begin(), places.end());
  if (before == 0 || same) return;
  std::vector<std::int64_t> points;
  Statement rows(database, "SELECT point FROM points WHERE experiment = ?");
  rows.bind(id);
  while (rows.step()) points.push_back(rows.integer(0));
  for (const std::int64_t point : points) widen_point(database, id, point, places, before);
  move_reasons(database, id, places);
}

}  // namespace tactus::experiment
