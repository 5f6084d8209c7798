#pragma once

#include <algorithm>
#include <map>

#include "tactus/base/random.hpp"
#include "tactus/exchange/fold.hpp"

namespace tactus::exchange {

/// A random task: works on some lanes, syncs, waits that go forward, and one job with random times.
inline std::pair<Shape, Job> random_shape(Random& random) {
  Shape shape;
  Job job;
  const auto below = [&](std::int64_t n) {
    return static_cast<std::uint32_t>(random.integer(0, n - 1));
  };
  const std::uint32_t steps = 1 + below(14), lanes = 1 + below(3);
  for (std::uint32_t i = 0; i <= steps; ++i) {
    Step step;
    step.kind = i == steps ? StepKind::kEnd : below(6) == 0 ? StepKind::kSync : StepKind::kWork;
    StepTimes times;
    times.place = i;
    times.gap = below(3) == 0 ? 0 : below(50);
    times.call = step.kind == StepKind::kEnd ? 0 : below(20);
    if (step.kind == StepKind::kWork) {
      step.lane = below(lanes);
      step.element = below(5) == 0 ? copy_engine_of(0) : sms_of(0);
      step.annotation = below(3);
      times.lasts = below(100);
    }
    // A sync waits for the last works of some lanes; a work at times for works of other lanes.
    for (std::uint32_t before = 0; before < i; ++before) {
      if (shape.steps[before].kind != StepKind::kWork) continue;
      const bool waits = step.kind == StepKind::kSync ? below(2) == 0
                         : step.kind == StepKind::kWork
                             ? shape.steps[before].lane != step.lane && below(6) == 0
                             : false;
      if (waits) shape.waits.push_back({before, i, false});
    }
    shape.steps.push_back(step);
    job.times.push_back(times);
  }
  return {shape, job};
}

/// The longest path through the steps, written apart from `fold`: the CPU goes from step to step, a
/// sync begins when its works have ended, a work follows its call, its lane and its waits.
inline std::int64_t longest_path(const Shape& shape, const Job& job, bool with_cpu) {
  std::vector<std::int64_t> done(shape.steps.size());  // end of the work
  std::map<std::uint32_t, std::int64_t> lane;
  std::int64_t cpu = 0, longest = 0;
  for (std::size_t i = 0; i < shape.steps.size(); ++i) {
    const StepTimes& times = job.times[i];
    std::int64_t awaited = 0;
    for (const Wait& wait : shape.waits) {
      if (wait.after == i) awaited = std::max(awaited, done[wait.before]);
    }
    if (with_cpu) cpu += times.gap;
    if (with_cpu && shape.steps[i].kind == StepKind::kSync) cpu = std::max(cpu, awaited);
    if (with_cpu) cpu += times.call;
    if (shape.steps[i].kind == StepKind::kWork) {
      std::int64_t& last = lane[shape.steps[i].lane];
      last = done[i] = std::max({cpu, last, awaited}) + times.lasts;
    }
    longest = std::max({longest, cpu, done[i]});
  }
  return longest;
}

/// The same through the nodes. `launch` comes before the time of its node.
inline std::int64_t longest_path(const Folded& folded, const Job& job, bool with_cpu) {
  const NodeTimes times = times_of(folded, job);
  const Graph graph(static_cast<NodeIndex>(folded.nodes.size()), folded.edges);
  std::vector<std::int64_t> end(folded.nodes.size());
  for (NodeIndex node : topological_order(graph)) {
    const bool cpu = folded.nodes[node].element == Folded::kCpu;
    if (cpu && !with_cpu) continue;
    std::int64_t start = 0;
    for (NodeIndex before : graph.predecessors(node)) start = std::max(start, end[before]);
    end[node] = start + times.lasts[node] + (with_cpu ? times.launch[node] : 0);
  }
  return end.empty() ? 0 : *std::max_element(end.begin(), end.end());
}

}  // namespace tactus::exchange
