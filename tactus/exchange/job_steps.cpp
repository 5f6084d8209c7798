#include "tactus/exchange/job_steps.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tactus::exchange {

std::uint32_t Numbering::lane(const GpuWork& work) {
  return lanes.try_emplace({work.device, work.stream}, static_cast<std::uint32_t>(lanes.size()))
      .first->second;
}

std::uint32_t Numbering::element(const GpuWork& work) {
  const std::uint32_t device =
      devices.try_emplace(work.device, static_cast<std::uint32_t>(devices.size())).first->second;
  return work.kind == GpuKind::kCopy ? copy_engine_of(device) : sms_of(device);
}

namespace {

/// The last work of each lane so far.
using Frontier = std::map<std::uint32_t, NodeIndex>;

class Walk {
 public:
  Walk(ThreadId own, std::int64_t start, Numbering& numbering, WaitCounts& counts)
      : numbering_(numbering), counts_(counts) {
    busy_until_[own] = start;
  }

  void take(const JobCall& one) {
    if (counts_.too_many()) return;
    switch (one.call->kind) {
      case CallKind::kLaunch:
      case CallKind::kLaunchAndWait:
        return launch(one);
      case CallKind::kSync:
        return sync(*one.call, one.annotation, one.call->start);
      case CallKind::kRecordEvent:
        counts_.held += 2 * frontier_.size();
        record_ = frontier_;
        records_[one.call->correlation] = frontier_;
        return;
      case CallKind::kWaitEvent:
        return wait(*one.call);
      case CallKind::kCompute:
        return compute(*one.call, one.annotation);
    }
  }

  JobSteps finish(ThreadId own, std::int64_t start, std::int64_t end) {
    Step last;
    last.kind = StepKind::kEnd;
    last.name = numbering_.end_name;
    StepTimes times;
    times.gap = std::max<std::int64_t>(0, end - busy_until_[own]);
    times.start = times.end = end;
    add(last, times);
    made_.job.by = own;
    made_.job.start = start;
    made_.job.end = end;
    return std::move(made_);
  }

 private:
  NodeIndex add(const Step& step, StepTimes times) {
    times.place = static_cast<NodeIndex>(made_.steps.size());
    made_.steps.push_back(step);
    made_.job.times.push_back(times);
    return times.place;
  }

  /// CPU work of the thread since its last call. What another thread did before its first is not
  /// known to belong to the job.
  std::int64_t gap_before(const Call& call) {
    const auto [until, first] = busy_until_.try_emplace(call.by, call.start);
    const std::int64_t gap = std::max<std::int64_t>(0, call.start - until->second);
    until->second = std::max(until->second, call.end);
    return gap;
  }

  void launch(const JobCall& one) {
    if (one.work.empty()) return;  // it stays part of the gap
    std::int64_t gap = gap_before(*one.call);
    std::int64_t call = one.call->end - one.call->start;
    const bool waits = one.call->kind == CallKind::kLaunchAndWait;
    if (waits) call = std::clamp<std::int64_t>(one.work.front()->start - one.call->start, 0, call);
    Frontier of_graph;  // works of this call
    for (const GpuWork* work : one.work) {
      Step step;
      step.lane = numbering_.lane(*work);
      step.element = numbering_.element(*work);
      step.name = work->name;
      step.annotation = one.annotation;
      step.blocks = work->blocks;
      step.threads = work->threads;
      step.registers = work->registers;
      step.shared_memory = work->shared_memory;
      const NodeIndex place =
          add(step, {0, gap, call, work->end - work->start, work->start, work->end});
      gap = call = 0;
      resume(step.lane, work->stream, place);
      // Inside of a graph launch the waits are not in the trace: what had ended may have been one.
      for (const auto& [lane, before] : of_graph) {
        if (lane == step.lane || made_.job.times[before].end > work->start) continue;
        add_wait({before, place, true});
      }
      of_graph[step.lane] = place;
      frontier_[step.lane] = place;
    }
    if (waits) sync(*one.call, one.annotation, one.work.back()->end);
  }

  /// What lies inside of other named work counts there.
  void compute(const Call& call, std::uint32_t annotation) {
    const auto known = busy_until_.find(call.by);
    Step step;
    step.lane = step.element = kCpuElement;
    step.name = call.name;
    step.annotation = annotation;
    StepTimes times;
    times.start = known == busy_until_.end() ? call.start : std::max(call.start, known->second);
    times.end = std::max(times.start, call.end);
    times.lasts = times.end - times.start;
    times.gap = gap_before(call);
    if (times.lasts > 0) add(step, times);
  }

  void sync(const Call& call, std::uint32_t annotation, std::int64_t start) {
    Step step;
    step.kind = StepKind::kSync;
    step.name = call.name;
    step.annotation = annotation;
    const bool of_copy = call.kind == CallKind::kLaunchAndWait;
    StepTimes times;
    times.gap = of_copy ? 0 : gap_before(call);
    times.start = times.end = call.end;
    const auto known = numbering_.waits.find(call.correlation);
    const auto [awaited, guess] = awaited_by(known);
    std::int64_t ready = start;
    for (const auto& [lane, work] : awaited) {
      if (made_.job.times[work].end <= call.end) ready = std::max(ready, made_.job.times[work].end);
    }
    times.call = std::max<std::int64_t>(0, call.end - ready);
    const NodeIndex place = add(step, times);
    for (const auto& [lane, work] : awaited) add_wait({work, place, guess});
  }

  /// What a sync waits for: the stream or the event of the trace, else everything, as a guess (a
  /// work that ends after the call refutes it).
  std::pair<Frontier, bool> awaited_by(
      std::map<std::int64_t, KnownWait>::const_iterator known) const {
    if (known == numbering_.waits.end()) return {frontier_, true};
    const KnownWait& wait = known->second;
    if (const auto record = records_.find(wait.record_correlation); record != records_.end()) {
      return {on_stream(record->second, wait.recorded_stream), false};
    }
    return {on_stream(frontier_, wait.stream), false};
  }

  /// The part of a frontier that is on a stream of any device; all of it if the stream is unknown.
  Frontier on_stream(const Frontier& all, std::int64_t stream) const {
    if (stream < 0) return all;
    Frontier some;
    for (const auto& [device_stream, lane] : numbering_.lanes) {
      const auto found = all.find(lane);
      if (device_stream.second == stream && found != all.end()) some.insert(*found);
    }
    return some;
  }

  /// From now on a stream waits. Which one, and for which event, only some traces say.
  void wait(const Call& call) {
    const auto known = numbering_.waits.find(call.correlation);
    if (known == numbering_.waits.end()) {
      ++counts_.guessed;
      put_off({record_.value_or(frontier_), -1, true});
      return;
    }
    ++counts_.known;
    const KnownWait& wait = known->second;
    const auto record = records_.find(wait.record_correlation);
    const bool exact = record != records_.end();
    // An event of an earlier job, or one whose record the trace does not have.
    Frontier awaited = exact                          ? record->second
                       : wait.record_correlation >= 0 ? Frontier()
                                                      : frontier_;
    const bool guess = wait.record_correlation < 0;
    put_off({on_stream(awaited, wait.recorded_stream), wait.stream, guess});
  }

  /// The first work of a lane behind a wait comes after what was awaited.
  void resume(std::uint32_t lane, std::int64_t stream, NodeIndex place) {
    for (std::size_t& next = resumed_[lane]; next < pending_.size(); ++next) {
      const Pending& wait = pending_[next];
      if (counts_.too_many()) return;
      if (wait.stream >= 0 && wait.stream != stream) continue;
      for (const auto& [other, before] : wait.awaited) {
        if (other != lane) add_wait({before, place, wait.guess});
      }
    }
  }

  void add_wait(const Wait& wait) {
    ++counts_.held;
    made_.waits.push_back(wait);
  }

  struct Pending {
    Frontier awaited;
    std::int64_t stream;  ///< that waits; -1: not known
    bool guess;
  };

  void put_off(Pending wait) {
    counts_.held += wait.awaited.size();
    pending_.push_back(std::move(wait));
  }

  Numbering& numbering_;
  WaitCounts& counts_;
  JobSteps made_;
  Frontier frontier_;
  std::optional<Frontier> record_;            ///< at the last call that recorded an event
  std::map<std::int64_t, Frontier> records_;  ///< by correlation
  std::map<ThreadId, std::int64_t> busy_until_;
  std::vector<Pending> pending_;
  std::map<std::uint32_t, std::size_t> resumed_;  ///< by lane: the first wait that it has not seen
};

}  // namespace

JobSteps steps_of_job(std::span<const JobCall> calls, ThreadId own, std::int64_t start,
                      std::int64_t end, Numbering& numbering, WaitCounts& counts) {
  Walk walk(own, start, numbering, counts);
  for (const JobCall& one : calls) walk.take(one);
  return walk.finish(own, start, end);
}

}  // namespace tactus::exchange
