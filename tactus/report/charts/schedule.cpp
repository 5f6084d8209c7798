#include "tactus/report/charts/schedule.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace tactus::report {
namespace {

using trace::Activity;
using trace::Interval;

constexpr std::int64_t kMostRows = 8;  ///< units of an element that get a row each

Interval cut(Interval interval, trace::Window window) {
  interval.preempted = interval.preempted && interval.end <= window.to;
  interval.start = std::max(interval.start, window.from);
  interval.end = std::min(interval.end, window.to);
  return interval;
}

/// Can every unit have a row of its own: few of them, each with one thing at a time?
bool fits_in_rows(const Element& element, std::vector<Interval>& intervals) {
  if (element.lanes > 1) return false;
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
    return std::tie(a.unit, a.start, a.end) < std::tie(b.unit, b.start, b.end);
  });
  std::int64_t units = intervals.empty() ? 0 : 1;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].width > 1) return false;
    if (i == 0) continue;
    if (intervals[i].unit != intervals[i - 1].unit)
      ++units;
    else if (intervals[i].start < intervals[i - 1].end)
      return false;
  }
  return units <= kMostRows;
}

std::vector<ScheduleRow> row_per_unit(const Element& element,
                                      const std::vector<Interval>& intervals) {
  std::vector<ScheduleRow> rows;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const Interval& interval = intervals[i];
    if (i == 0 || interval.unit != intervals[i - 1].unit) {
      rows.push_back({fmt::format("{} {}", element.name, interval.unit + 1), {}});
    }
    rows.back().boxes.push_back(
        {interval.task, interval.activity, interval.start, interval.end, interval.preempted});
  }
  const bool owned = element.kind != ElementKind::kCpu && rows.size() == 1;
  if (element.units == 1 || owned) {
    for (ScheduleRow& row : rows) row.name = element.name;
  }
  return rows;
}

/// Gives out heights from the lowest that are free; what does not fit in one piece gets several.
class Heights {
 public:
  explicit Heights(std::int64_t capacity) { free_[0] = capacity; }

  std::vector<std::pair<std::int64_t, std::int64_t>> take(std::int64_t width) {
    for (auto& [from, size] : free_) {
      if (size >= width) return {take_from(from, width)};
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
    while (width > 0 && !free_.empty()) {
      const auto [from, size] = *free_.begin();
      pieces.push_back(take_from(from, std::min(size, width)));
      width -= std::min(size, width);
    }
    return pieces;
  }

  void give(std::int64_t from, std::int64_t size) {
    const auto at = free_.emplace(from, size).first;
    if (const auto next = std::next(at); next != free_.end() && from + size == next->first) {
      at->second += next->second;
      free_.erase(next);
    }
    if (at == free_.begin()) return;
    const auto before = std::prev(at);
    if (before->first + before->second != from) return;
    before->second += at->second;
    free_.erase(at);
  }

 private:
  std::pair<std::int64_t, std::int64_t> take_from(std::int64_t from, std::int64_t width) {
    const std::int64_t size = free_.at(from);
    free_.erase(from);
    if (size > width) free_[from + width] = size - width;
    return {from, width};
  }

  std::map<std::int64_t, std::int64_t> free_;  ///< size by start
};

/// The same node of the same job on several units, at the same time, is one box.
std::vector<Interval> joined(std::vector<Interval> intervals) {
  const auto key = [](const Interval& i) {
    return std::tie(i.start, i.end, i.task, i.job, i.node, i.activity);
  };
  for (Interval& interval : intervals) interval.width = std::max(interval.width, 1U);
  std::sort(intervals.begin(), intervals.end(),
            [&](const Interval& a, const Interval& b) { return key(a) < key(b); });
  std::vector<Interval> all;
  for (const Interval& interval : intervals) {
    if (!all.empty() && key(all.back()) == key(interval)) {
      all.back().width += interval.width;
    } else {
      all.push_back(interval);
    }
  }
  return all;
}

/// What a full row stands for. On a machine several pieces of work may share a unit.
std::int64_t capacity_of(const Element& element, const std::vector<Interval>& joined,
                         CountedIn counted) {
  if (counted == CountedIn::kLanes) return element.units * element.lanes;
  std::map<Time, std::int64_t> changes;
  for (const Interval& interval : joined) {
    changes[interval.start] += interval.width;
    changes[interval.end] -= interval.width;
  }
  std::int64_t used = 0, most = element.units;
  for (const auto& [at, change] : changes) most = std::max(most, used += change);
  return most;
}

ScheduleRow one_row(const Element& element, std::vector<Interval> intervals, CountedIn counted) {
  intervals = joined(std::move(intervals));
  struct Taken {
    std::int64_t from, size;
  };
  const std::int64_t capacity = capacity_of(element, intervals, counted);
  Heights heights(capacity);
  std::multimap<Time, Taken> ends;
  ScheduleRow row{element.name, {}};
  for (const Interval& interval : intervals) {
    while (!ends.empty() && ends.begin()->first <= interval.start) {
      heights.give(ends.begin()->second.from, ends.begin()->second.size);
      ends.erase(ends.begin());
    }
    for (const auto& [from, size] : heights.take(interval.width)) {
      ends.emplace(interval.end, Taken{from, size});
      row.boxes.push_back({interval.task, interval.activity, interval.start, interval.end,
                           interval.preempted,
                           static_cast<double>(from) / static_cast<double>(capacity),
                           static_cast<double>(from + size) / static_cast<double>(capacity)});
    }
  }
  const bool shared = std::any_of(row.boxes.begin(), row.boxes.end(),
                                  [](const ScheduleBox& box) { return box.high - box.low < 1; });
  if (shared) row.name = fmt::format("{} ({})", element.name, element.units);
  return row;
}

bool lower_priority(const Task& one, const Task& other) {
  if (one.best_effort) return !other.best_effort;
  return one.priority && other.priority && *one.priority < *other.priority;
}

/// Everything in the window that can decide what a job does at an instant.
class JobStory {
 public:
  JobStory(const System& system, const trace::Trace& trace, const trace::JobSpan& job)
      : system_(system), trace_(trace), job_(job) {
    for (const Interval& interval : trace.intervals) {
      if (interval.task == job.task && interval.job == job.job) own_.push_back(&interval);
    }
    std::stable_sort(own_.begin(), own_.end(),
                     [](const Interval* a, const Interval* b) { return a->start < b->start; });
    const auto& nodes = system.tasks[job.task].nodes;
    has_cpu_ = std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) {
      return system.platform.elements[node.on].kind == ElementKind::kCpu;
    });
  }

  JobState at(Time from, Time to) const {
    bool elsewhere = false;
    for (const Interval* interval : own_) {
      if (interval->start >= to) break;
      if (interval->end <= from) continue;
      if (interval->activity == Activity::kUpdate || interval->activity == Activity::kSwitch) {
        return JobState::kUpdates;
      }
      if (interval->activity == Activity::kSpin) return JobState::kSpins;
      const auto kind = system_.platform.elements[interval->element].kind;
      if (kind == ElementKind::kCpu || !has_cpu_) return JobState::kRuns;
      elsewhere = true;
    }
    if (elsewhere) return JobState::kSuspended;
    return blocked(from, to) ? JobState::kBlocked : JobState::kWaits;
  }

 private:
  /// What it gets next is in use by a lower priority; or that is free (a core, from which it will
  /// start its kernel), and what it gets after that is in use.
  bool blocked(Time from, Time to) const {
    const auto next = std::find_if(own_.begin(), own_.end(),
                                   [&](const Interval* own) { return own->start >= to; });
    if (next == own_.end()) return false;
    if (const Interval* holder = holder_of(**next, from, to)) return is_lower(*holder);
    const auto after = std::find_if(
        next, own_.end(), [&](const Interval* own) { return own->element != (*next)->element; });
    if (after == own_.end()) return false;
    const Interval* const holder = holder_of(**after, from, to);
    return holder != nullptr && is_lower(*holder);
  }

  /// What has the unit of an interval all the time between two instants.
  const Interval* holder_of(const Interval& place, Time from, Time to) const {
    const auto found =
        std::find_if(trace_.intervals.begin(), trace_.intervals.end(), [&](const Interval& other) {
          return other.element == place.element && other.unit == place.unit &&
                 other.start <= from && other.end >= to;
        });
    return found == trace_.intervals.end() ? nullptr : &*found;
  }
  bool is_lower(const Interval& holder) const {
    return lower_priority(system_.tasks[holder.task], system_.tasks[job_.task]);
  }

  const System& system_;
  const trace::Trace& trace_;
  const trace::JobSpan& job_;
  std::vector<const Interval*> own_;
  bool has_cpu_ = false;
};

}  // namespace

std::vector<ScheduleRow> schedule_rows(const System& system, const trace::Trace& trace,
                                       trace::Window window, CountedIn counted) {
  std::vector<ScheduleRow> rows;
  for (ElementIndex e = 0; e < system.platform.elements.size(); ++e) {
    const Element& element = system.platform.elements[e];
    std::vector<Interval> intervals;
    for (const Interval& interval : trace.intervals) {
      if (interval.element != e || interval.start >= window.to || interval.end <= window.from) {
        continue;
      }
      intervals.push_back(cut(interval, window));
    }
    if (intervals.empty()) {
      rows.push_back({element.name, {}});
    } else if (fits_in_rows(element, intervals)) {
      for (ScheduleRow& row : row_per_unit(element, intervals)) rows.push_back(std::move(row));
    } else {
      rows.push_back(one_row(element, std::move(intervals), counted));
    }
  }
  return rows;
}

std::vector<JobPiece> job_pieces(const System& system, const trace::Trace& trace,
                                 const trace::JobSpan& job, trace::Window window) {
  const Time from = std::max(job.release, window.from), to = std::min(job.end, window.to);
  if (from >= to) return {};
  std::vector<Time> instants = {from, to};
  for (const Interval& interval : trace.intervals) {
    for (const Time instant : {interval.start, interval.end}) {
      if (instant > from && instant < to) instants.push_back(instant);
    }
  }
  std::sort(instants.begin(), instants.end());
  instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
  const JobStory story(system, trace, job);
  std::vector<JobPiece> pieces;
  for (std::size_t i = 0; i + 1 < instants.size(); ++i) {
    const JobState state = story.at(instants[i], instants[i + 1]);
    if (!pieces.empty() && pieces.back().state == state) {
      pieces.back().end = instants[i + 1];
    } else {
      pieces.push_back({state, instants[i], instants[i + 1]});
    }
  }
  return pieces;
}

}  // namespace tactus::report
