#include "tactus/report/obstacles.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <compare>
#include <span>
#include <tuple>

#include "tactus/decide/gpu_costs.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
namespace {

/// "`times`, `load` or `parallelism`".
std::string one_of(const std::vector<std::string_view>& attributes) {
  std::string out;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const bool last = i + 1 == attributes.size();
    out += fmt::format("{}`{}`", i == 0 ? "" : last ? " or " : ", ", attributes[i]);
  }
  return out;
}

/// The same attributes, missing in several places.
struct Gap {
  const Obstacle* first;
  std::vector<std::string_view> names;

  bool same_as(const Obstacle& other) const {
    return first->whose == other.whose && first->give == other.give;
  }
  std::string text() const {
    constexpr std::size_t kNamed = 3;
    if (names.size() == 1) return fmt::format("{} for {}", one_of(first->give), names.front());
    static constexpr std::string_view kWhose[] = {"places", "elements", "tasks", "nodes"};
    return fmt::format("{} for {} {} ({}{})", one_of(first->give), names.size(),
                       kWhose[static_cast<std::size_t>(first->whose)],
                       fmt::join(std::span(names).first(std::min(kNamed, names.size())), ", "),
                       names.size() > kNamed ? ", ..." : "");
  }
};

/// All that must be given, in the order in which it was found missing.
std::string give_line(const Verdict& verdict) {
  std::vector<Gap> gaps;
  for (const Obstacle& obstacle : verdict.obstacles) {
    if (obstacle.give.empty()) continue;
    auto same = std::find_if(gaps.begin(), gaps.end(),
                             [&](const Gap& gap) { return gap.same_as(obstacle); });
    if (same == gaps.end()) same = gaps.insert(gaps.end(), Gap{&obstacle, {}});
    same->names.push_back(obstacle.name);
  }
  std::vector<std::string> parts;
  for (const Gap& gap : gaps) parts.push_back(gap.text());
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// How much it takes until a method covers the file, the hardest first.
struct Effort {
  std::size_t changes = 0;  ///< the system must be another one
  std::size_t unknown = 0;  ///< only the owner of the system knows it, or can measure it
  std::size_t costs = 0;    ///< of the GPU: a profile of a known one has them
  std::size_t open = 0;     ///< `tactus advise` chooses it

  auto operator<=>(const Effort&) const = default;
};

Effort effort_of(const Verdict& verdict) {
  Effort effort;
  effort.changes = verdict.more_obstacles;
  for (const Obstacle& obstacle : verdict.obstacles) {
    const auto any = [&](auto fits) {
      return std::any_of(obstacle.give.begin(), obstacle.give.end(), fits);
    };
    const auto chosen = [](std::string_view key) { return key == "core" || key == "priority"; };
    ++(obstacle.give.empty()      ? effort.changes
       : any(chosen)              ? effort.open
       : any(decide::is_gpu_cost) ? effort.costs
                                  : effort.unknown);
  }
  return effort;
}

/// The command that gives all that; empty where none does.
std::string way_text(const Effort& effort, std::string_view file) {
  if (file.empty() || effort.changes > 0 || effort.unknown > 0) return {};
  return fmt::format("tactus {} {}{}", effort.open > 0 ? "advise" : "analyze", file,
                     effort.costs > 0 ? " --costs h200/channel" : "");
}

std::string_view family_of(std::string_view method) { return method.substr(0, method.find('.')); }

/// "gcaps.*, mpcp.suspend": a whole family by its wildcard.
std::string short_list(const std::vector<std::string_view>& methods) {
  const auto listed = [&](std::string_view id) {
    return std::find(methods.begin(), methods.end(), id) != methods.end();
  };
  std::vector<std::string> parts;
  for (std::string_view id : methods) {
    const std::string stem = std::string(family_of(id)) + '.';
    std::size_t members = 0;
    bool whole = id.starts_with(stem);
    for (const Method* method : registry()) {
      if (!method->id.starts_with(stem)) continue;
      ++members;
      whole = whole && listed(method->id);
    }
    std::string part = whole && members > 1 ? stem + '*' : std::string(id);
    if (std::find(parts.begin(), parts.end(), part) == parts.end())
      parts.push_back(std::move(part));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string with_place(std::string_view text, Position at) {
  if (!at.known()) return std::string(text);
  return fmt::format("{} (line {}, column {})", text, at.line, at.column);
}

std::vector<std::string> obstacle_lines(const Verdict& verdict) {
  constexpr std::size_t kMostChanges = 8;
  std::vector<std::string> lines;
  if (std::string give = give_line(verdict); !give.empty()) lines.push_back(std::move(give));
  std::size_t changes = 0;
  for (const Obstacle& obstacle : verdict.obstacles) {
    if (!obstacle.give.empty()) continue;
    if (++changes <= kMostChanges) lines.push_back(with_place(obstacle.reason, obstacle.at));
  }
  const std::size_t more = verdict.more_obstacles + changes - std::min(changes, kMostChanges);
  if (more > 0) lines.push_back(fmt::format("and {} more (--json lists them)", more));
  return lines;
}

std::string obstacles_text(std::span<const Verdict> verdicts, Obstacles which, const Style& style,
                           std::string_view file, std::string_view wanted) {
  struct Entry {
    std::vector<std::string> lines;
    std::vector<std::string_view> methods;
    Effort effort;
    bool wanted = false;
  };
  std::vector<Entry> entries;
  for (const Verdict& verdict : verdicts) {
    if (verdict.status != Status::kNotApplicable) continue;
    std::vector<std::string> lines = obstacle_lines(verdict);
    auto same = std::find_if(entries.begin(), entries.end(),
                             [&](const Entry& entry) { return entry.lines == lines; });
    if (same == entries.end()) {
      same = entries.insert(entries.end(), Entry{std::move(lines), {}, effort_of(verdict)});
    }
    same->methods.push_back(verdict.method);
    same->wanted = same->wanted || verdict.method == wanted;
  }
  if (entries.empty()) return {};
  constexpr std::size_t kShown = 3;
  const bool shortest = which == Obstacles::kShortest && entries.size() > kShown;
  if (shortest) {
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tuple(!a.wanted, a.effort) < std::tuple(!b.wanted, b.effort);
    });
    entries.resize(kShown);
  }
  std::string out = paragraph(
      "", shortest ? "The shortest ways on; the file needs:" : "Not applicable; the file needs:",
      style);
  out.pop_back();
  out = inked(out, Ink::kDim, style) + '\n';
  for (const Entry& entry : entries) {
    const std::string methods = short_list(entry.methods);
    const bool one_line = which == Obstacles::kFirst || entry.lines.size() == 1;
    if (one_line) {
      std::string text = fmt::format("{}: {}", methods, entry.lines.front());
      if (entry.lines.size() > 1) text += fmt::format(" (and {} more)", entry.lines.size() - 1);
      out += list_entry(text, style);
    } else {
      out += list_entry(methods + ':', style);
      for (const std::string& line : entry.lines) out += paragraph("    ", line, style);
    }
    const std::string way = shortest ? way_text(entry.effort, file) : std::string();
    if (!way.empty()) out += fmt::format("    {}\n", way);  // whole, so that it can be copied
  }
  return out;
}

}  // namespace tactus::report
