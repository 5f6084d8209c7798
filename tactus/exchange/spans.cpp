#include "tactus/exchange/spans.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/pattern.hpp"

namespace tactus::exchange {
namespace {

/// "job_12" and "ProfilerStep#12" without their numbers: what all jobs of a task have in common.
std::string stem_of(std::string_view name) {
  std::string_view stem = name;
  while (!stem.empty() && stem.back() >= '0' && stem.back() <= '9') stem.remove_suffix(1);
  while (!stem.empty() && (stem.back() == '_' || stem.back() == '#' || stem.back() == '-' ||
                           stem.back() == ' ' || stem.back() == ':')) {
    stem.remove_suffix(1);
  }
  return std::string(stem.empty() ? name : stem);
}

/// The outermost of some annotations of each thread, by start.
std::vector<const Annotation*> outermost(const Recording& recording, const std::string& pattern) {
  std::vector<const Annotation*> chosen;
  for (const Annotation& one : recording.annotations) {
    if (one.job && matches(pattern, recording.names[one.name])) chosen.push_back(&one);
  }
  std::sort(chosen.begin(), chosen.end(), [](const Annotation* a, const Annotation* b) {
    return std::tie(a->by, a->start, b->end) < std::tie(b->by, b->start, a->end);
  });
  std::vector<const Annotation*> outer;
  for (const Annotation* one : chosen) {
    if (!outer.empty() && outer.back()->by == one->by && outer.back()->end > one->start) continue;
    outer.push_back(one);
  }
  return outer;
}

std::vector<JobSpan> spans_at_annotations(const Recording& recording, const ImportOptions& options,
                                          const std::string& pattern) {
  std::vector<JobSpan> spans;
  for (const Annotation* one : outermost(recording, pattern)) {
    std::string task = options.tasks_by == TasksBy::kThread
                           ? fmt::format("thread {}", one->by.thread)
                       : recording.own_names ? recording.names[one->name]
                                             : stem_of(recording.names[one->name]);
    spans.push_back({std::move(task), one->by, one->start, one->end});
  }
  return spans;
}

/// Jobs end where neither the CPU makes calls nor the GPU works for a while.
std::vector<JobSpan> spans_at_pauses(const Recording& recording, const ImportOptions& options) {
  struct Busy {
    std::int64_t start, end;
    bool call;
  };
  std::map<ThreadId, std::vector<Busy>> busy;  // by process, or by thread
  std::map<std::int64_t, ThreadId> launched_by;
  const bool by_thread = options.tasks_by == TasksBy::kThread;
  const auto owner = [&](ThreadId by) { return by_thread ? by : ThreadId{by.process, 0}; };
  for (const Call& call : recording.calls) {
    busy[owner(call.by)].push_back({call.start, call.end, true});
    launched_by[call.correlation] = owner(call.by);
  }
  for (const GpuWork& work : recording.work) {
    const auto by = launched_by.find(work.correlation);
    if (by != launched_by.end()) busy[by->second].push_back({work.start, work.end, false});
  }
  std::vector<JobSpan> spans;
  for (auto& [by, pieces] : busy) {
    std::sort(pieces.begin(), pieces.end(),
              [](const Busy& a, const Busy& b) { return a.start < b.start; });
    const std::string task =
        by_thread ? fmt::format("thread {}", by.thread) : fmt::format("process {}", by.process);
    std::int64_t until = INT64_MIN;
    for (const Busy& piece : pieces) {
      const bool pause = until == INT64_MIN || piece.start - until >= options.gap.ns();
      if (pause) spans.push_back({task, by, piece.start, piece.start, !by_thread});
      JobSpan& span = spans.back();
      if (piece.call) span.end = std::max(span.end, piece.end);
      until = std::max(until, piece.end);
    }
  }
  return spans;
}

std::string pattern_that_fits(const Recording& recording) {
  const auto any = [&](std::string_view pattern) {
    return std::any_of(
        recording.annotations.begin(), recording.annotations.end(),
        [&](const Annotation& one) { return matches(pattern, recording.names[one.name]); });
  };
  if (any("ProfilerStep#*")) return "ProfilerStep#*";
  return recording.annotations.empty() ? std::string(kJobsAtIdleGaps) : "*";
}

}  // namespace

Result<std::vector<JobSpan>> find_spans(const Recording& recording, const ImportOptions& options,
                                        std::vector<std::string>& notes) {
  const std::string pattern = options.jobs.empty() ? pattern_that_fits(recording) : options.jobs;
  std::vector<JobSpan> spans;
  if (pattern == kJobsAtIdleGaps) {
    spans = spans_at_pauses(recording, options);
    notes.push_back(
        fmt::format("jobs are cut where neither calls nor GPU work were seen for {} ms{}",
                    format_time(options.gap, TimeUnit::kMs),
                    options.jobs.empty() ? ", because the trace has no annotations" : ""));
  } else {
    spans = spans_at_annotations(recording, options, pattern);
    if (spans.empty()) {
      return Error{recording.annotations.empty()
                       ? fmt::format("no annotation matches {}; the trace has none at all; `--jobs "
                                     "idle` cuts jobs at pauses",
                                     quote(pattern))
                       : fmt::format("no annotation matches {}; there is {}, for example",
                                     quote(pattern),
                                     quote(recording.names[recording.annotations.front().name]))};
    }
    notes.push_back(fmt::format("jobs are the outermost annotations that match {}{}",
                                quote(pattern), options.jobs.empty() ? " (the default here)" : ""));
  }
  if (spans.empty()) return Error{"the trace has no call that puts work on the GPU"};
  std::sort(spans.begin(), spans.end(), [](const JobSpan& a, const JobSpan& b) {
    return std::tie(a.start, a.task) < std::tie(b.start, b.task);
  });
  return spans;
}

std::vector<std::uint32_t> innermost_annotations(const Recording& recording,
                                                 const std::vector<JobSpan>& spans,
                                                 std::uint32_t none) {
  std::set<std::tuple<ThreadId, std::int64_t, std::int64_t>> jobs;
  for (const JobSpan& span : spans) jobs.emplace(span.by, span.start, span.end);
  struct Walk {
    std::vector<const Annotation*> all, open;
    std::size_t next = 0;
  };
  std::map<ThreadId, Walk> walks;
  for (const Annotation& one : recording.annotations) {
    if (!jobs.contains({one.by, one.start, one.end})) walks[one.by].all.push_back(&one);
  }
  for (auto& [thread, walk] : walks) {
    std::sort(walk.all.begin(), walk.all.end(), [](const Annotation* a, const Annotation* b) {
      return std::tie(a->start, b->end) < std::tie(b->start, a->end);
    });
  }
  std::vector<std::uint32_t> names;
  names.reserve(recording.calls.size());
  for (const Call& call : recording.calls) {
    const auto found = walks.find(call.by);
    names.push_back(none);
    if (found == walks.end()) continue;
    Walk& walk = found->second;
    while (walk.next < walk.all.size() && walk.all[walk.next]->start <= call.start) {
      walk.open.push_back(walk.all[walk.next++]);
    }
    while (!walk.open.empty() && walk.open.back()->end <= call.start) walk.open.pop_back();
    if (!walk.open.empty()) names.back() = walk.open.back()->name;
  }
  return names;
}

}  // namespace tactus::exchange
