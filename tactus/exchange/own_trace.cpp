#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "tactus/exchange/chrome_events.hpp"
#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/numbers.hpp"
#include "tactus/exchange/rhythms.hpp"
#include "tactus/exchange/source.hpp"
#include "tactus/model/reserve.hpp"

/// Traces that tactus itself wrote (tactus/trace/perfetto.cpp): what was simulated or run, as a system
/// whose times are those that were observed.
namespace tactus::exchange {
namespace {

using Interval = std::pair<std::int64_t, std::int64_t>;
using Lane = std::pair<std::int64_t, std::int64_t>;  // process and thread

struct SeenNode {
  std::int64_t process = 0, width = 0;
  std::map<std::int64_t, std::vector<Interval>> runs, launches;  // by job
};

/// The time that at least one of some intervals covers: a gang has one on each of its units.
std::int64_t covered(std::vector<Interval> all) {
  std::sort(all.begin(), all.end());
  std::int64_t sum = 0, until = INT64_MIN;
  for (const auto& [start, end] : all) {
    sum += std::max<std::int64_t>(0, end - std::max(start, until));
    until = std::max(until, end);
  }
  return sum;
}

class OwnTrace {
 public:
  explicit OwnTrace(const ImportOptions& options) : options_(options) {}

  std::optional<Error> take(const ChromeEvent& event) {
    if (event.phase == "M") name_row(event);
    if (event.phase == "X") return take_slice(event);
    if (event.phase == "s" || event.phase == "f") take_arrow(event);
    return std::nullopt;
  }

  Draft finish() {
    System& system = draft_.system;
    system.name = clean_name(options_.name);
    system.time_unit = options_.time_unit;
    std::map<std::int64_t, ElementIndex> element_of;
    for (const auto& [process, element] : elements_) {
      if (process == jobs_process_) continue;
      element_of[process] = static_cast<ElementIndex>(system.platform.elements.size());
      system.platform.elements.push_back(element);
    }
    // By place: the tasks as the file had them.
    std::vector<std::vector<SeenJob>> kept;
    for (const auto& [place, name] : tasks_) {
      Task task;
      task.name = name;
      std::vector<SeenJob>& jobs = jobs_[place];
      std::sort(jobs.begin(), jobs.end(),
                [](const SeenJob& a, const SeenJob& b) { return a.start < b.start; });
      add_rhythm(jobs, options_, task, draft_.notes);
      add_nodes(element_of, task);
      if (task.nodes.empty()) {
        draft_.notes.push_back(fmt::format("task {} did nothing; it is left out", quote(name)));
        continue;
      }
      system.tasks.push_back(std::move(task));
      kept.push_back(std::move(jobs));
    }
    add_followings(kept, options_, system, draft_.notes);
    if (system.tasks.empty()) return Draft::bad("this is no trace of tactus: it shows no task");
    draft_.notes.push_back(
        fmt::format("times are the longest that were observed, plus {} %; deadlines and priorities "
                    "are not in a "
                    "trace",
                    options_.margin));
    return std::move(draft_);
  }

 private:
  static std::int64_t number(const ChromeEvent& event, std::string_view key,
                             std::int64_t otherwise) {
    const std::string* text = event.arg(key);
    return text == nullptr ? otherwise : whole(*text).value_or(otherwise);
  }

  void name_row(const ChromeEvent& event) {
    const std::int64_t process = whole(event.process).value_or(-1);
    const std::string* name = event.arg("name");
    if (event.name == "process_name" && name != nullptr) {
      if (*name == "jobs" && event.arg("kind") == nullptr) {
        jobs_process_ = process;
        return;
      }
      Element element;
      element.name = *name;
      const std::string* kind = event.arg("kind");
      element.kind = kind == nullptr || *kind == "cpu" ? ElementKind::kCpu
                     : *kind == "gpu"                  ? ElementKind::kGpu
                                                       : ElementKind::kCopy;
      element.units = std::max<std::int64_t>(1, number(event, "units", 1));
      element.lanes = std::max<std::int64_t>(1, number(event, "lanes", 1));
      elements_[process] = element;
    }
    const std::int64_t thread = whole(event.thread).value_or(-1);
    if (event.name == "thread_name" && process == jobs_process_ && name != nullptr) {
      names_[thread] = *name;
    }
    if (event.name == "thread_sort_index" && process == jobs_process_) {
      const std::int64_t place = number(event, "sort_index", thread);
      place_of_[thread] = place;
      if (place == thread) tasks_.try_emplace(place, names_[thread]);  // not an extra row
    }
  }

  std::optional<Error> take_slice(const ChromeEvent& event) {
    const auto start = scaled(event.start, kMicroseconds, Rounding::kDown);
    const auto lasts = scaled(event.duration, kMicroseconds, Rounding::kUp);
    std::int64_t end = 0;
    if (!start || !lasts || *lasts < 0 || __builtin_add_overflow(*start, *lasts, &end)) {
      return Error{
          fmt::format("event {} ({}): its times are none", event.place, quote(event.name))};
    }
    if (++kept_ > kMostRecords) {
      return Error{fmt::format("more than {} events", kMostRecords)};
    }
    const Lane row{whole(event.process).value_or(-1), whole(event.thread).value_or(-1)};
    if (row.first == jobs_process_) {
      const std::string* late = event.arg("late");  // its release, after its arrival
      const auto after = late == nullptr ? 0 : scaled(*late, kMicroseconds, Rounding::kDown);
      jobs_[place_of_[row.second]].push_back(
          {Time::from_ns(*start) + Time::from_ns(after.value_or(0)), Time::from_ns(end)});
      return std::nullopt;
    }
    last_.clear();
    if (event.category != "run" && event.category != "launch") return std::nullopt;
    const auto [entry, fresh] = nodes_.try_emplace(event.name);
    if (fresh) order_.push_back(event.name);
    SeenNode& node = entry->second;
    const std::int64_t job = number(event, "job", 0);
    if (event.category == "launch") {
      node.launches[job].emplace_back(*start, end);
      return std::nullopt;
    }
    node.process = row.first;
    node.width = std::max(node.width, number(event, "width", 1));
    node.runs[job].emplace_back(*start, end);
    ends_[{row, end}] = event.name;
    last_ = event.name;
    return std::nullopt;
  }

  /// An arrow begins 1 ns before the end of a slice, and ends at the slice that was told last.
  void take_arrow(const ChromeEvent& event) {
    if (event.phase == "s") {
      const Lane row{whole(event.process).value_or(-1), whole(event.thread).value_or(-1)};
      const auto at = scaled(event.start, kMicroseconds, Rounding::kDown).value_or(0);
      const auto slice = ends_.find({row, at + 1});
      arrow_from_ = slice == ends_.end() ? std::string() : slice->second;
    } else if (!arrow_from_.empty() && !last_.empty()) {
      arrows_.emplace(arrow_from_, last_);
    }
  }

  void add_nodes(const std::map<std::int64_t, ElementIndex>& element_of, Task& task) {
    std::map<std::string, NodeIndex> places;
    const std::string prefix = task.name + ".";
    for (const std::string& name : order_) {
      if (!name.starts_with(prefix) || owner_of(name) != task.name) continue;
      const SeenNode& seen = nodes_.at(name);
      const auto element = element_of.find(seen.process);
      if (seen.runs.empty() || element == element_of.end()) continue;
      Node node;
      node.name = name.substr(prefix.size());
      node.on = element->second;
      std::int64_t longest = 0, shortest = INT64_MAX, launch = 0;
      for (const auto& [job, intervals] : seen.runs) {
        longest = std::max(longest, covered(intervals));
        shortest = std::min(shortest, covered(intervals));
      }
      for (const auto& [job, intervals] : seen.launches) {
        launch = std::max(launch, covered(intervals));
      }
      const Reserve reserve{options_.margin};
      node.wcet = reserve.above(Time::from_ns(longest));
      node.launch = reserve.above(Time::from_ns(launch));
      if (options_.bcet) node.bcet = reserve.below(Time::from_ns(shortest));
      const Element& on = draft_.system.platform.elements[node.on];
      const bool part = on.kind == ElementKind::kGpu && seen.width < on.units * on.lanes;
      if (part && seen.width > 0) node.parallelism = seen.width;
      node.measured = reserve.measured(Time::from_ns(longest), std::ssize(seen.runs));
      places[name] = static_cast<NodeIndex>(task.nodes.size());
      task.nodes.push_back(std::move(node));
    }
    std::vector<Edge> edges;
    for (const auto& [from, to] : arrows_) {
      const auto first = places.find(from), second = places.find(to);
      if (first == places.end() || second == places.end() || first == second) continue;
      edges.emplace_back(first->second, second->second);
    }
    task.graph = Graph(static_cast<NodeIndex>(task.nodes.size()), edges);
  }

  /// The task of "task.node", where both may have points in their names.
  std::string owner_of(const std::string& name) const {
    std::string best;
    for (const auto& [place, task] : tasks_) {
      if (name.starts_with(task + ".") && task.size() >= best.size()) best = task;
    }
    return best;
  }

  static constexpr std::size_t kMostRecords = 4'000'000;

  const ImportOptions& options_;
  Draft draft_;
  std::int64_t jobs_process_ = -1;
  std::map<std::int64_t, Element> elements_;
  std::map<std::int64_t, std::string> names_, tasks_;
  std::map<std::int64_t, std::int64_t> place_of_;
  std::map<std::int64_t, std::vector<SeenJob>> jobs_;  ///< by place of the task
  std::map<std::string, SeenNode> nodes_;
  std::vector<std::string> order_;
  std::map<std::pair<Lane, std::int64_t>, std::string> ends_;
  std::set<std::pair<std::string, std::string>> arrows_;
  std::string arrow_from_, last_;
  std::size_t kept_ = 0;
};

}  // namespace

Draft import_own_trace(Source& source, const ImportOptions& options) {
  OwnTrace trace(options);
  const auto facts = read_chrome_events(
      source.bytes(), [&](const ChromeEvent& event) { return trace.take(event); });
  if (!facts) return Draft::bad(facts.error().message);
  return trace.finish();
}

}  // namespace tactus::exchange
