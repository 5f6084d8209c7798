#include "tactus/observe/cut_into_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tactus/base/diagnostic.hpp"

namespace tactus::observe {
namespace {

bool is_segment(CallKind kind) {
  return kind == CallKind::kSegmentBegin || kind == CallKind::kSegmentEnd;
}
bool is_waiting_copy(CallKind kind) {
  return kind == CallKind::kWaitingCopyToDevice || kind == CallKind::kWaitingCopyToHost ||
         kind == CallKind::kWaitingCopy;
}

Part::Kind part_of(CallKind copy) {
  switch (copy) {
    case CallKind::kWaitingCopyToDevice:
      return Part::Kind::kCopyIn;
    case CallKind::kWaitingCopyToHost:
      return Part::Kind::kCopyOut;
    default:
      return Part::Kind::kCopyElsewhere;
  }
}

/// Does it put work into a stream?
bool launches(CallKind kind) { return kind != CallKind::kWait && !is_segment(kind); }

std::size_t launching_threads(const std::vector<Call>& calls) {
  std::set<std::int32_t> threads;
  for (const Call& call : calls) {
    if (launches(call.kind())) threads.insert(call.thread);
  }
  return threads.size();
}

/// Goes through the calls of one process once.
class Cutter {
 public:
  Cutter(std::vector<Call> calls, const CutOptions& options)
      : calls_(std::move(calls)), options_(options) {
    result_.by_segments = std::any_of(calls_.begin(), calls_.end(), [](const Call& call) {
      return call.kind() == CallKind::kSegmentBegin;
    });
    // A program that never pauses, but marks segments: each of them is a job.
    cut_at_segments_ = result_.by_segments && options_.at.empty() && !pauses();
  }

  Jobs cut() {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (i == 0 || begins_job(i)) begin_job(i);
      take(calls_[i]);
    }
    // The last job was perhaps cut off, so it is not kept.
    return std::move(result_);
  }

 private:
  /// How long the program did nothing before a call.
  Time idle_before(std::size_t i) const {
    const Call &before = calls_[i - 1], &call = calls_[i];
    if (call.sleeps_begin == before.sleeps_end) return Time();  // it was only held up
    return Time::from_ns((call.begin - before.end) - (call.cpu_begin - before.cpu_end));
  }
  bool pauses() const {
    for (std::size_t i = 1; i < calls_.size(); ++i) {
      if (idle_before(i) >= options_.idle_gap) return true;
    }
    return false;
  }

  bool begins_job(std::size_t i) const {
    if (!options_.at.empty()) return kFunctions[calls_[i].function].name == options_.at;
    if (cut_at_segments_) return calls_[i].kind() == CallKind::kSegmentBegin;
    if (idle_before(i) < options_.idle_gap) return false;
    // It may sleep until its GPU work has ended, and then ask.
    const CallKind kind = calls_[i].kind();
    return !open_ ||
           !(kind == CallKind::kWait || is_waiting_copy(kind) || kind == CallKind::kSegmentEnd);
  }

  void begin_job(std::size_t i) {
    const Call& call = calls_[i];
    // What is before the first cut is the start of the program.
    if (begun_ > 1) {
      if (open_) {
        ++result_.unfinished;
      } else {
        result_.jobs.push_back(std::move(job_));
      }
    }
    job_ = Job();
    open_ = false;
    ++begun_;
    // When it woke up is not seen; the CPU time since the last call says how long it has worked.
    const std::int64_t worked = i == 0 ? 0 : call.cpu_begin - calls_[i - 1].cpu_end;
    job_.start = Time::from_ns(call.begin - worked);
    cpu_since_ = call.cpu_begin - worked;
  }

  void take(const Call& call) {
    const CallKind kind = call.kind();
    if (result_.by_segments) {
      if (kind == CallKind::kSegmentBegin) open(call);
      if (open_) note(call);
      if (kind == CallKind::kSegmentEnd && open_) close(call);
      return;
    }
    if (is_segment(kind)) return;
    if (is_waiting_copy(kind) && !open_ && options_.automatic) open(call);  // a segment of its own
    if (is_waiting_copy(kind) && !open_) {
      add_cpu(call.cpu_begin);
      Part& part = job_.parts.emplace_back();
      part.kind = part_of(kind);
      part.time = Time::from_ns(call.end - call.begin);
      part.bytes = call.bytes;
      cpu_since_ = call.cpu_end;
      return;
    }
    const bool ends = kind == CallKind::kWait || is_waiting_copy(kind);
    if (!ends && !open_) open(call);
    if (open_) note(call);
    if (ends && open_) close(call);
    // Waiting for nothing takes CPU time, which counts as such.
  }

  void open(const Call& call) {
    add_cpu(call.cpu_begin);
    Part& part = job_.parts.emplace_back();
    part.kind = Part::Kind::kGpu;
    opened_ = call.begin;
    open_ = true;
  }
  void note(const Call& call) {
    Part& part = job_.parts.back();
    part.bytes += call.bytes;
    const CallKind kind = call.kind();
    if (kind != CallKind::kWait && !is_waiting_copy(kind) && !is_segment(kind)) {
      part.launch = Time::from_ns(call.end - opened_);
    }
  }
  void close(const Call& call) {
    job_.parts.back().time = Time::from_ns(call.end - opened_);
    open_ = false;
    cpu_since_ = call.cpu_end;
  }
  void add_cpu(std::int64_t until) {
    Part& part = job_.parts.emplace_back();
    part.time = Time::from_ns(std::max<std::int64_t>(until - cpu_since_, 0));
  }

  const std::vector<Call> calls_;
  const CutOptions& options_;
  bool cut_at_segments_ = false;
  Jobs result_;
  Job job_;
  std::size_t begun_ = 0;
  bool open_ = false;  ///< a GPU part
  std::int64_t opened_ = 0, cpu_since_ = 0;
};

}  // namespace

Result<Jobs> cut_into_jobs(std::span<const Call> calls, const CutOptions& options) {
  if (!options.at.empty() &&
      std::none_of(std::begin(kFunctions), std::end(kFunctions),
                   [&](const Function& function) { return function.name == options.at; })) {
    std::vector<std::string_view> names;
    for (const Function& function : kFunctions) names.emplace_back(function.name);
    return Error{fmt::format("calls of {} are not watched; watched are {}", quote(options.at),
                             fmt::join(names, ", "))};
  }
  std::map<std::int32_t, std::vector<Call>> of_process;
  for (const Call& call : calls) of_process[call.process].push_back(call);
  if (of_process.empty()) {
    return Error{"the program asked nothing of a GPU, and marked no segment"};
  }
  auto& [process, most] = *std::max_element(
      of_process.begin(), of_process.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  std::stable_sort(most.begin(), most.end(),
                   [](const Call& a, const Call& b) { return a.begin < b.begin; });
  if (const std::size_t threads = launching_threads(most); options.automatic && threads > 1) {
    return Error{
        fmt::format("{} threads of the program launch: with automatic segments it is not one task, "
                    "and no bound "
                    "is claimed for it",
                    threads)};
  }
  Jobs jobs = Cutter(std::move(most), options).cut();
  jobs.automatic = options.automatic;
  jobs.other_processes = of_process.size() - 1;
  if (jobs.jobs.size() >= 2) return jobs;
  if (jobs.unfinished > 0) {
    return Error{fmt::format("{} jobs did not wait for their GPU work, so its end is not known",
                             jobs.unfinished)};
  }
  return Error{fmt::format(
      "the program has {} whole jobs between its start and its end, too few to measure: let it run "
      "longer, or say where jobs begin (--cut-at) or how long a pause is (--idle-gap)",
      jobs.jobs.size())};
}

Shape shape_of(const Jobs& jobs) {
  const auto kinds_of = [](const Job& job) {
    std::vector<Part::Kind> kinds;
    for (const Part& part : job.parts) kinds.push_back(part.kind);
    return kinds;
  };
  Shape shape;
  shape.kinds = kinds_of(jobs.jobs.front());
  shape.joined = std::any_of(jobs.jobs.begin(), jobs.jobs.end(),
                             [&](const Job& job) { return kinds_of(job) != shape.kinds; });
  if (shape.joined) {
    shape.kinds = {Part::Kind::kCpu, Part::Kind::kCopyIn, Part::Kind::kGpu, Part::Kind::kCopyOut,
                   Part::Kind::kCopyElsewhere};
  }
  shape.seen.resize(shape.kinds.size());
  for (const Job& job : jobs.jobs) {
    std::vector<Part> parts = job.parts;
    if (shape.joined) {
      parts.assign(shape.kinds.size(), Part());
      for (const Part& part : job.parts) {
        const auto at = std::find(shape.kinds.begin(), shape.kinds.end(), part.kind);
        Part& sum = parts[static_cast<std::size_t>(at - shape.kinds.begin())];
        sum.time += part.time;
        sum.launch += part.launch;
        sum.bytes += part.bytes;
      }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].kind = shape.kinds[i];
      shape.seen[i].push_back(parts[i]);
    }
  }
  return shape;
}

}  // namespace tactus::observe
