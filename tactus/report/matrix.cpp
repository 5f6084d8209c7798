#include "tactus/report/matrix.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/promise.hpp"
#include "tactus/report/end_to_end.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"
#include "tactus/simulate/registry.hpp"

namespace tactus::report {
namespace {

using decide::Group;
using decide::Standing;

/// Which marks the table has, to be explained below it.
struct Marks {
  bool conditional = false, no = false, beyond = false, no_core = false;
  std::string variant;  ///< of what tactus runs, where that is another than the usual one
};

/// What is said of one method, or of several that say the same.
struct Line {
  const Standing* standing = nullptr;
  std::string id;      ///< of the first
  std::string others;  ///< what the ids of the others go on with: "[.prio]"
  std::string run_by, least;
  std::vector<Cell> cells;  ///< by real-time task
  bool best = false;        ///< the answer is about it
  std::string variant;      ///< " *", " (paper)"; empty for the usual one

  std::string label() const { return id + others + variant; }
};

/// A time with about four digits, never too small: 164.2, 25.15, 0.851.
std::string rounded_up(Time time, const System& system) {
  const int places = decimal_places(system.time_unit);
  std::int64_t one = 1;
  for (int i = 0; i < places; ++i) one *= 10;
  const std::int64_t whole_units = time.ns() / one;
  const int kept = std::min(places, whole_units >= 1000  ? 0
                                    : whole_units >= 100 ? 1
                                    : whole_units >= 10  ? 2
                                                         : 3);
  std::int64_t grain = 1;
  for (int i = kept; i < places; ++i) grain *= 10;
  return format_scaled(time.ns() / grain + (time.ns() % grain != 0 ? 1 : 0), kept);
}

/// How much of the deadline is left, as a colour.
Ink shade(Time bound, Time deadline) {
  if (bound.ns() > deadline.ns() / 10 * 9) return Ink::kYellow;
  return bound.ns() <= deadline.ns() / 2 ? Ink::kGreen : Ink::kPlain;
}

std::string_view heading_of(Group group) {
  switch (group) {
    case Group::kRunnable:
      return "Proved, and run here:";
    case Group::kNotRunHere:
      return "Proved, but not run here:";
    case Group::kNotProved:
      return "Not proved:";
    case Group::kUndecided:
      return "Undecided:";
    case Group::kNotApplicable:
      break;
  }
  return "";
}

std::string_view proved_word(Group group) {
  return group <= Group::kNotRunHere ? "yes" : group == Group::kUndecided ? "?" : "no";
}

/// Here a name and two columns have no room beside each other.
constexpr int kNarrow = 40;

/// A label in short lines, for the head of a narrow column.
std::string folded(const std::string& label, const Style& style) {
  const std::size_t kWide = style.fold < kNarrow ? 7 : 10;
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < label.size();) {
    std::size_t end = at + 1;  // up to behind a dot or a hyphen, or before a bracket or a blank
    while (end < label.size() && label[end - 1] != '.' && label[end - 1] != '-' &&
           label[end] != '[' && label[end] != ' ') {
      ++end;
    }
    if (label[at] == '[') end = label.size();
    std::string part = label.substr(at, end - at);
    if (!lines.back().empty() && lines.back().size() + part.size() > kWide) {
      lines.emplace_back();
      if (part.front() == ' ') part.erase(0, 1);
    }
    lines.back() += part;
    at = end;
  }
  std::string out;
  for (const std::string& line : lines) out += (out.empty() ? "" : "\n") + line;
  return out;
}

class Matrix {
 public:
  Matrix(const Analysis& analysis, const Style& style)
      : analysis_(analysis), system_(analysis.system), style_(style) {
    for (TaskIndex t = 0; t < system_.tasks.size(); ++t) {
      if (!system_.tasks[t].best_effort) tasks_.push_back(t);
    }
    for (const Standing& standing : analysis.standings) {
      if (standing.group != Group::kNotApplicable && analysis.is_shown(standing)) add(standing);
    }
  }

  std::string text() const {
    if (lines_.empty()) return {};
    const Table wide = by_method();
    return (wide.width() <= style_.fold ? wide.render(style_) : by_task()) + legend();
  }

 private:
  void add(const Standing& standing) {
    const Verdict& verdict = analysis_.verdicts[standing.place];
    const Method& method = analysis_.method(standing.place);
    Line line;
    line.standing = &standing;
    line.id = method.id;
    line.run_by = run_by(standing);
    if (standing.least) line.least = percent_text(standing.least->permille);
    for (TaskIndex task : tasks_) line.cells.push_back(cell(verdict, task));
    line.best = &standing == &analysis_.best();
    if (verdict.variant != kSafe) {
      line.variant = standing.way ? " *" : fmt::format(" ({})", verdict.variant);
      if (standing.way) marks_.variant = verdict.variant;
    }
    if (Line* same = same_as(line, method, verdict)) {
      same->others += fmt::format("[{}]", method.id.substr(same->id.size()));
      same->best = same->best || line.best;
    } else {
      lines_.push_back(std::move(line));
    }
  }

  /// A line of a method whose id this one continues, and that says the same.
  Line* same_as(const Line& line, const Method& method, const Verdict& verdict) {
    for (Line& other : lines_) {
      const std::size_t place = other.standing->place;
      const auto same_text = [](const Cell& a, const Cell& b) { return a.text == b.text; };
      if (method.id.starts_with(other.id + '.') &&
          analysis_.method(place).behaviour.name == method.behaviour.name &&
          analysis_.verdicts[place].variant == verdict.variant &&
          other.standing->group == line.standing->group &&
          std::equal(line.cells.begin(), line.cells.end(), other.cells.begin(), same_text)) {
        return &other;
      }
    }
    return nullptr;
  }

  std::string run_by(const Standing& standing) {
    if (!standing.way) {
      return simulate::find_policy(analysis_.method(standing.place)) ? "simulator" : "-";
    }
    const std::string_view way = to_string(*standing.way);
    const bool no_core = *standing.way == decide::Way::kArbiter &&
                         !decide::arbiter_core(system_, decide::CoresOf::kFile);
    marks_.no_core = marks_.no_core || no_core;
    return no_core ? fmt::format("({})", way) : std::string(way);
  }

  Cell cell(const Verdict& verdict, TaskIndex index) {
    const auto task = std::find_if(verdict.tasks.begin(), verdict.tasks.end(),
                                   [&](const TaskVerdict& each) { return each.task == index; });
    if (task == verdict.tasks.end()) return {"-", Ink::kDim};
    const bool late = std::any_of(verdict.missed.begin(), verdict.missed.end(),
                                  [&](const MissedJob& job) { return job.task == index; });
    const bool firm = promises(verdict);
    if (task->bound && !task->schedulable) {
      marks_.beyond = true;
      return {rounded_up(*task->bound, system_) + '!', Ink::kRed};
    }
    if (task->bound && firm) {
      return {rounded_up(*task->bound, system_),
              task->deadline ? shade(*task->bound, *task->deadline) : Ink::kPlain};
    }
    if (task->bound || task->conditional_bound) {
      marks_.conditional = true;
      const Time bound = task->bound ? *task->bound : *task->conditional_bound;
      return {fmt::format("({})", rounded_up(bound, system_)), Ink::kDim};
    }
    if (task->schedulable && verdict.status == Status::kSchedulable) return {"yes", Ink::kGreen};
    if (task->terms.empty() && !late) {
      return {verdict.status == Status::kUndecided ? "?" : "-", Ink::kDim};
    }
    marks_.no = true;
    return {"no", Ink::kRed};
  }

  std::string deadline(TaskIndex task) const {
    const auto& time = system_.tasks[task].deadline;
    return time ? format_time(*time, system_.time_unit) : "-";
  }

  /// Two lines about the best method that a bound does not show; empty where nothing is known.
  bool has_slacks() const { return analysis_.best().least.has_value(); }
  std::string slack_of(TaskIndex index) const {
    for (const TaskVerdict& task : analysis_.verdicts[analysis_.best().place].tasks) {
      if (task.task != index || !task.bound || !task.deadline) continue;
      const auto left = static_cast<__int128>((*task.deadline - *task.bound).ns());
      return percent_text(
          static_cast<std::int64_t>(left * 1000 / std::max<std::int64_t>(1, task.deadline->ns())));
    }
    return "-";
  }
  std::string growth_of(TaskIndex index) const {
    for (const decide::Growth& growth : analysis_.growth) {
      if (growth.task == index) return percent_text(growth.permille);
    }
    return "any";
  }

  Table by_method() const {
    std::vector<Table::Column> columns = {
        {with_unit("bounds", system_)}, {"run by"}, {"slack", Align::kRight}};
    std::vector<Cell> deadlines = {"  deadline", "", ""};
    for (TaskIndex task : tasks_) {
      columns.push_back({printable_line(system_.tasks[task].name), Align::kRight});
      deadlines.emplace_back(deadline(task));
    }
    Table table(std::move(columns));
    table.add(std::move(deadlines));
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      const Line& line = lines_[k];
      const Group group = line.standing->group;
      if (k == 0 || group != lines_[k - 1].standing->group) {
        table.add_heading({heading_of(group), Ink::kBold});
      }
      std::vector<Cell> cells = {"  " + line.label(), line.run_by, line.least};
      cells.insert(cells.end(), line.cells.begin(), line.cells.end());
      table.add(std::move(cells));
      if (line.best) add_room(table);
    }
    return table;
  }

  void add_room(Table& table) const {
    const auto add = [&](std::string_view label, auto text_of) {
      std::vector<Cell> cells = {{label, Ink::kDim}, "", ""};
      for (TaskIndex task : tasks_) cells.emplace_back(text_of(task), Ink::kDim);
      table.add(std::move(cells));
    };
    if (has_slacks()) add("    slack", [&](TaskIndex task) { return slack_of(task); });
    if (!analysis_.growth.empty()) {
      add("    a node may grow", [&](TaskIndex task) { return growth_of(task); });
    }
  }

  /// One column of a table by tasks: the head, three words about the method, a cell per task.
  struct Upright {
    std::string title;
    std::vector<Cell> cells;
  };

  Upright deadlines() const {
    Upright column{"deadline", {"", "", ""}};
    for (TaskIndex task : tasks_) column.cells.emplace_back(deadline(task));
    return column;
  }

  std::vector<Upright> uprights() const {
    std::vector<Upright> all;
    if (style_.fold < kNarrow) all.push_back(deadlines());
    for (const Line& line : lines_) {
      const Group group = line.standing->group;
      Upright upright{folded(line.label(), style_), {proved_word(group), line.run_by, line.least}};
      upright.cells.insert(upright.cells.end(), line.cells.begin(), line.cells.end());
      all.push_back(std::move(upright));
      if (!line.best) continue;
      const auto add = [&](std::string title, auto text_of) {
        Upright more{std::move(title), {"", "", ""}};
        for (TaskIndex task : tasks_) more.cells.emplace_back(text_of(task), Ink::kDim);
        all.push_back(std::move(more));
      };
      if (has_slacks()) add("slack", [&](TaskIndex task) { return slack_of(task); });
      if (!analysis_.growth.empty()) {
        add("a node\nmay grow", [&](TaskIndex task) { return growth_of(task); });
      }
    }
    return all;
  }

  /// @param columns the next ones; as many as fit are taken
  Table page(std::span<const Upright>& columns) const {
    const bool narrow = style_.fold < kNarrow;
    const int names = narrow ? 11 : std::max(12, style_.fold / 3);
    std::size_t taken = 0;
    const auto made = [&](std::size_t count) {
      std::vector<Table::Column> heads = {{with_unit("bounds", system_)}};
      std::vector<Upright> shown;
      if (!narrow) shown.push_back(deadlines());
      shown.insert(shown.end(), columns.begin(),
                   columns.begin() + static_cast<std::ptrdiff_t>(count));
      for (const Upright& column : shown) heads.push_back({column.title, Align::kRight});
      Table table(std::move(heads));
      const auto add = [&](std::string_view name, std::size_t row) {
        std::vector<Cell> cells = {name};
        for (const Upright& column : shown) cells.push_back(column.cells[row]);
        table.add(std::move(cells));
      };
      add("proved", 0);
      add("run by", 1);
      add("least slack", 2);
      for (std::size_t t = 0; t < tasks_.size(); ++t) {
        const std::string name = printable_line(system_.tasks[tasks_[t]].name);
        add(shortened(name, names, style_), t + 3);
      }
      return table;
    };
    while (taken < columns.size() && (taken == 0 || made(taken + 1).width() <= style_.fold)) {
      ++taken;
    }
    Table table = made(taken);
    columns = columns.subspan(taken);
    return table;
  }

  std::string by_task() const {
    const std::vector<Upright> all = uprights();
    std::string out;
    for (std::span<const Upright> left(all); !left.empty();) {
      out += (out.empty() ? "" : "\n") + page(left).render(style_);
    }
    return out;
  }

  std::string legend() const {
    std::string out;
    const auto add = [&](std::string_view mark, std::string_view meaning) {
      out += paragraph(fmt::format("{}: ", mark), meaning, style_);
    };
    if (marks_.conditional) {
      add("(x)", "holds only if the tasks without a proof meet their deadlines");
    }
    if (marks_.no) add("no", "its deadline is not proved");
    if (marks_.beyond) add("x!", "the bound is beyond the deadline");
    if (!marks_.variant.empty()) {
      add("*", fmt::format("the variant {}, of what is really run", marks_.variant));
    }
    if (marks_.no_core) {
      add("(tactusd)", "it needs a core without tasks of the file, and there is none");
    }
    return out;
  }

  const Analysis& analysis_;
  const System& system_;
  const Style& style_;
  std::vector<TaskIndex> tasks_;
  std::vector<Line> lines_;
  Marks marks_;
};

}  // namespace

std::string matrix_text(const Analysis& analysis, const Style& style) {
  std::string bounds = Matrix(analysis, style).text();
  if (bounds.empty()) return bounds;
  const Verdict& best = analysis.verdicts[analysis.best().place];
  const std::string paths = end_to_end_text(best, analysis.system, style);
  if (paths.empty()) return bounds;
  return bounds + '\n' + paragraph("", fmt::format("From end to end by {}:", best.method), style) +
         paths;
}

}  // namespace tactus::report
