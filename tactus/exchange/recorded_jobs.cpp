#include "tactus/exchange/recorded_jobs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/job_steps.hpp"
#include "tactus/exchange/spans.hpp"

namespace tactus::exchange {
namespace {

/// GPU clocks are put on the CPU's clock afterwards, and a little wrong. More is a clock that jumped.
constexpr std::int64_t kMostSkew = 10'000'000;

/// How many pairs of works the waits may stand for: in proportion to the trace.
constexpr std::size_t kMostHeld = 1'000'000, kHeldPerCall = 64;
constexpr std::size_t kNoSpan = static_cast<std::size_t>(-1);

class Finder {
 public:
  Finder(Recording& recording, const ImportOptions& options)
      : recording_(recording), options_(options) {}

  Result<RecordedTasks> find() {
    std::sort(recording_.calls.begin(), recording_.calls.end(),
              [](const Call& a, const Call& b) { return a.start < b.start; });
    auto spans = find_spans(recording_, options_, found_.notes);
    if (!spans) return spans.error();
    spans_ = std::move(*spans);
    sort_work();
    if (auto jump = find_clock_jump()) return *jump;
    numbering_.end_name = recording_.names.of("end");
    for (const KnownWait& wait : recording_.waits) numbering_.waits[wait.correlation] = wait;
    give_calls_to_spans();
    counts_.most_held = kMostHeld + kHeldPerCall * recording_.calls.size();
    make_tasks();
    if (counts_.too_many()) {
      return Error{fmt::format(
          "the waits between its {} streams stand for more than {} pairs of works; record fewer "
          "jobs, or use fewer streams",
          numbering_.lanes.size(), counts_.most_held)};
    }
    tell();
    if (found_.tasks.empty()) return Error{"no job of the trace puts work on the GPU"};
    found_.devices.resize(numbering_.devices.size());
    for (const auto& [device, number] : numbering_.devices) found_.devices[number] = device;
    found_.streams.resize(numbering_.lanes.size());
    for (const auto& [stream, lane] : numbering_.lanes) found_.streams[lane] = stream.second;
    found_.threads =
        recording_.threads > 0 ? recording_.threads : std::max<std::size_t>(1, threads_.size());
    return std::move(found_);
  }

 private:
  void sort_work() {
    for (const GpuWork& work : recording_.work) by_correlation_.push_back(&work);
    std::sort(by_correlation_.begin(), by_correlation_.end(),
              [](const GpuWork* a, const GpuWork* b) {
                return std::tie(a->correlation, a->start) < std::tie(b->correlation, b->start);
              });
  }

  std::span<const GpuWork* const> work_of(const Call& call) const {
    if (call.correlation < 0) return {};
    const auto [first, last] = std::equal_range(
        by_correlation_.begin(), by_correlation_.end(), call.correlation,
        [](const auto& a, const auto& b) { return correlation_of(a) < correlation_of(b); });
    return {by_correlation_.data() + (first - by_correlation_.begin()),
            static_cast<std::size_t>(last - first)};
  }
  static std::int64_t correlation_of(const GpuWork* work) { return work->correlation; }
  static std::int64_t correlation_of(std::int64_t correlation) { return correlation; }

  std::optional<Error> find_clock_jump() const {
    for (const Call& call : recording_.calls) {
      for (const GpuWork* work : work_of(call)) {
        if (work->start >= call.start - kMostSkew) continue;
        return Error{
            fmt::format("the clock jumped: {} starts {} ms before the call that launched it",
                        quote(recording_.names[work->name]),
                        format_scaled(call.start - work->start, decimal_places(TimeUnit::kMs)))};
      }
    }
    return std::nullopt;
  }

  /// The job that a call belongs to: that of its own thread, or, if the thread has none, the one that
  /// began last among those that are going on.
  std::size_t span_of(const Call& call) {
    const auto own = spans_by_thread_.find(call.by);
    if (own != spans_by_thread_.end()) {
      const auto after = std::upper_bound(
          own->second.begin(), own->second.end(), call.start,
          [&](std::int64_t at, std::size_t span) { return at < spans_[span].start; });
      if (after == own->second.begin()) return kNoSpan;
      const std::size_t span = *std::prev(after);
      return call.start <= spans_[span].end ? span : kNoSpan;
    }
    auto after =
        std::upper_bound(spans_.begin(), spans_.end(), call.start,
                         [](std::int64_t at, const JobSpan& span) { return at < span.start; });
    constexpr int kMostLookedAt = 64;
    for (int i = 0; i < kMostLookedAt && after != spans_.begin(); ++i) {
      --after;
      if (call.start > after->end ||
          (after->whole_process && call.by.process != after->by.process)) {
        continue;
      }
      if (!after->whole_process) ++of_other_threads_;
      return static_cast<std::size_t>(after - spans_.begin());
    }
    return kNoSpan;
  }

  void give_calls_to_spans() {
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      if (!spans_[i].whole_process) spans_by_thread_[spans_[i].by].push_back(i);
    }
    const std::uint32_t none = recording_.names.of("");
    const auto annotations = innermost_annotations(recording_, spans_, none);
    calls_of_span_.resize(spans_.size());
    std::unordered_set<std::int64_t> told;
    for (std::size_t i = 0; i < recording_.calls.size(); ++i) {
      const Call& call = recording_.calls[i];
      auto work = work_of(call);
      if (!work.empty() && !told.insert(call.correlation).second) work = {};  // another call has it
      launched_ += work.size();
      const std::size_t span = span_of(call);
      const bool launches = call.kind == CallKind::kLaunch || call.kind == CallKind::kLaunchAndWait;
      if (span == kNoSpan) {
        outside_ += work.size();
        continue;
      }
      if (launches && work.empty()) ++without_work_;
      if (launches) threads_.insert(call.by);
      calls_of_span_[span].push_back({&call, annotations[i], work});
    }
  }

  void make_tasks() {
    std::map<std::string, std::vector<JobSteps>> jobs;
    std::vector<std::string> order;  // by first job
    const auto add = [&](const std::string& task, JobSteps job) {
      const bool on_gpu = std::any_of(job.steps.begin(), job.steps.end(),
                                      [](const Step& step) { return step.on_gpu(); });
      if (!on_gpu && !recording_.any_job) {
        ++without_gpu_;
        return;
      }
      auto [entry, fresh] = jobs.try_emplace(task);
      if (fresh) order.push_back(task);
      entry->second.push_back(std::move(job));
    };
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const JobSpan& span = spans_[i];
      if (options_.tasks_by == TasksBy::kStream) {
        add_streams(span, calls_of_span_[i], add);
        continue;
      }
      ThreadId own = span.by;
      if (span.whole_process && !calls_of_span_[i].empty())
        own = calls_of_span_[i].front().call->by;
      add(span.task,
          steps_of_job(calls_of_span_[i], own, span.start, span.end, numbering_, counts_));
    }
    for (const std::string& task : order) {
      std::vector<JobSteps>& all = jobs[task];
      const std::size_t skip = std::min(options_.skip, all.size() - 1);
      all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(skip));
      found_.tasks.push_back(overlay(task, std::move(all)));
    }
  }

  /// One job per stream. What the CPU does between calls belongs to no stream.
  template <typename Add>
  void add_streams(const JobSpan& span, const std::vector<JobCall>& calls, const Add& add) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<JobCall>> by_stream;
    for (const JobCall& one : calls) {
      if (one.work.empty()) continue;
      const GpuWork& first = *one.work.front();
      by_stream[{first.device, first.stream}].push_back(one);
    }
    for (auto& [stream, own_calls] : by_stream) {
      const ThreadId nobody{-1, -1};
      std::int64_t end = span.start;
      std::vector<Call> alone;  // without the gaps between them
      alone.reserve(own_calls.size());
      for (JobCall& one : own_calls) {
        alone.push_back(*one.call);
        alone.back().by = {-1, static_cast<std::int64_t>(alone.size())};
        one.call = &alone.back();
        end = std::max(end, one.call->end);
      }
      JobSteps job = steps_of_job(own_calls, nobody, end, end, numbering_, counts_);
      job.job.start = span.start;
      add(fmt::format("stream {}", stream.second), std::move(job));
    }
  }

  void note(std::size_t count, std::string_view text) {
    if (count > 0) found_.notes.push_back(fmt::format(fmt::runtime(text), count));
  }

  void tell() {
    note(recording_.work.size() - launched_,
         "{} pieces of GPU work have no call that launched them; they are left out");
    note(outside_, "{} pieces of GPU work were launched outside of all jobs; they are left out");
    note(without_work_,
         "{} calls that should put work on the GPU have none in the trace (a copy or memset of no "
         "bytes, for example); they count as CPU work");
    note(without_gpu_, "{} jobs put no work on the GPU; they are left out");
    note(of_other_threads_,
         "{} calls came from threads without jobs of their own; each counts for the job that had "
         "begun last, which is a guess");
    note(counts_.known, "{} waits between streams are those of the trace (cuda_sync)");
    note(
        counts_.guessed,
        "{} waits between streams are guesses: the trace does not say which stream waits for which "
        "event. After such a call every stream is taken to wait for all that was launched before "
        "the last record of an event, except where the trace shows that it did not");
    if (options_.tasks_by == TasksBy::kStream) {
      found_.notes.emplace_back(
          "tasks are streams: CPU work between calls belongs to none of them and is left out, and "
          "so "
          "are waits");
    }
    if (options_.skip > 0) {
      found_.notes.push_back(
          fmt::format("the first {} jobs of each task are left out, as asked", options_.skip));
    }
  }

  Recording& recording_;
  const ImportOptions& options_;
  RecordedTasks found_;
  std::vector<JobSpan> spans_;
  std::map<ThreadId, std::vector<std::size_t>> spans_by_thread_;
  std::vector<const GpuWork*> by_correlation_;
  std::vector<std::vector<JobCall>> calls_of_span_;
  Numbering numbering_;
  WaitCounts counts_;
  std::set<ThreadId> threads_;
  std::size_t launched_ = 0, outside_ = 0, without_work_ = 0, without_gpu_ = 0,
              of_other_threads_ = 0;
};

}  // namespace

TaskSeen seen_of(const RecordedTask& task) {
  TaskSeen seen;
  seen.jobs = task.jobs.size();
  for (const Step& step : task.shape.steps) seen.works += step.on_gpu() ? 1 : 0;
  for (const Job& job : task.jobs) {
    std::int64_t gpu = 0, cpu = 0;
    for (const StepTimes& times : job.times) {
      (task.shape.steps[times.place].on_cpu() ? cpu : gpu) += times.lasts;
      cpu += times.gap + times.call;
    }
    seen.gpu_time = std::max(seen.gpu_time, gpu);
    seen.cpu_time = std::max(seen.cpu_time, cpu);
  }
  return seen;
}

Result<RecordedTasks> find_jobs(Recording& recording, const ImportOptions& options) {
  return Finder(recording, options).find();
}

}  // namespace tactus::exchange
