#include "tactus/exchange/fold.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace tactus::exchange {
namespace {

constexpr NodeIndex kNobody = static_cast<NodeIndex>(-1);

/// Which works become one node, by step: `kNobody` for those that are no works.
using Groups = std::vector<NodeIndex>;

Groups one_each(const Shape& shape) {
  Groups groups(shape.steps.size(), kNobody);
  NodeIndex next = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (shape.steps[i].kind == StepKind::kWork) groups[i] = next++;
  }
  return groups;
}

/// Works that follow each other in a lane. A group begins at a work that waits for another lane, and
/// ends at one that is awaited: so the longest path through the works stays as long as it was.
Groups by_stream(const Shape& shape) {
  std::vector<bool> waits(shape.steps.size()), awaited(shape.steps.size());
  for (const Wait& wait : shape.waits) {
    waits[wait.after] = true;
    awaited[wait.before] = true;
  }
  Groups groups(shape.steps.size(), kNobody);
  std::map<std::uint32_t, std::size_t> last;  // work of each lane that can be continued
  NodeIndex next = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Step& step = shape.steps[i];
    if (step.kind != StepKind::kWork) {
      last.clear();  // no group lasts over a sync
      continue;
    }
    if (step.on_cpu()) {
      groups[i] = next++;
      continue;
    }
    const auto before = last.find(step.lane);
    const bool goes_on = before != last.end() && !waits[i] && !awaited[before->second] &&
                         shape.steps[before->second].element == step.element;
    groups[i] = goes_on ? groups[before->second] : next++;
    last[step.lane] = i;
  }
  return groups;
}

/// Works that are launched one after the other under the same name.
Groups by_annotation(const Shape& shape) {
  Groups groups(shape.steps.size(), kNobody);
  std::optional<std::size_t> last;
  NodeIndex next = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Step& step = shape.steps[i];
    if (step.kind != StepKind::kWork) {
      last.reset();
      continue;
    }
    const bool goes_on = last && !step.on_cpu() &&
                         shape.steps[*last].annotation == step.annotation &&
                         shape.steps[*last].element == step.element;
    groups[i] = goes_on ? groups[*last] : next++;
    last = i;
  }
  return groups;
}

/// Makes nodes and edges; the CPU nodes form a chain.
class Folder {
 public:
  explicit Folder(const Shape& shape) : shape_(shape) {
    const std::size_t steps = shape.steps.size();
    folded_.gap.resize(steps);
    folded_.call.resize(steps);
    folded_.work.resize(steps);
  }

  /// Launching does not wait for the GPU: CPU nodes follow each other, and works follow theirs.
  Folded grouped(const Groups& groups) {
    std::map<NodeIndex, NodeIndex> node_of_group;
    std::map<std::uint32_t, NodeIndex> last_in_lane;
    std::vector<NodeIndex> consumer(shape_.steps.size(), kNobody);  // of syncs: who waits
    NodeIndex cpu = kNobody, launches = kNobody;  // the CPU node now, and the group it launches
    for (std::size_t i = 0; i < shape_.steps.size(); ++i) {
      const Step& step = shape_.steps[i];
      if (step.kind == StepKind::kSync) {
        folded_.gap[i] = {next_cpu(cpu), false};
        cpu = next_cpu(cpu);
        folded_.call[i] = {cpu, false};
        consumer[i] = cpu;
        launches = kNobody;
        fresh_ = true;
        continue;
      }
      if (!fresh_ && (cpu == kNobody || groups[i] != launches)) cpu = next_cpu(cpu);
      if (cpu == kNobody) cpu = next_cpu(cpu);
      fresh_ = false;
      launches = groups[i];
      folded_.gap[i] = folded_.call[i] = {cpu, false};
      if (step.kind == StepKind::kEnd) continue;
      if (step.on_cpu()) {
        cpu = next_cpu(cpu);
        folded_.nodes[cpu].steps.push_back(static_cast<NodeIndex>(i));
        folded_.work[i] = {cpu, false};
        launches = kNobody;
        continue;
      }
      auto [entry, is_new] = node_of_group.try_emplace(groups[i], kNobody);
      if (is_new) entry->second = add(step.element);
      const NodeIndex node = entry->second;
      folded_.nodes[node].steps.push_back(static_cast<NodeIndex>(i));
      folded_.work[i] = {node, false};
      edge(cpu, node);
      const auto [before, first] = last_in_lane.try_emplace(step.lane, node);
      if (!first) edge(before->second, node);
      before->second = node;
    }
    for (const Wait& wait : shape_.waits) {
      const bool sync = shape_.steps[wait.after].kind != StepKind::kWork;
      edge(folded_.work[wait.before].node,
           sync ? consumer[wait.after] : folded_.work[wait.after].node);
    }
    return finish();
  }

  /// Everything in a chain. What the CPU does between two launches of a node is part of `launch`.
  Folded chained() {
    NodeIndex cpu = kNobody, work = kNobody, last = kNobody;
    std::vector<Target*> pending;  // CPU times since the last launch
    const auto flush = [&](Target to) {
      for (Target* time : pending) *time = to;
      pending.clear();
    };
    const auto follow = [&](NodeIndex node) {
      if (last != kNobody) edge(last, node);
      last = node;
    };
    for (std::size_t i = 0; i < shape_.steps.size(); ++i) {
      const Step& step = shape_.steps[i];
      pending.push_back(&folded_.gap[i]);
      if (!step.on_gpu()) {
        pending.push_back(&folded_.call[i]);
        if (step.on_cpu()) pending.push_back(&folded_.work[i]);
        continue;
      }
      if (work == kNobody || folded_.nodes[work].element != step.element) {
        cpu = add(Folded::kCpu);
        follow(cpu);
        flush({cpu, false});
        work = add(step.element);
        follow(work);
      }
      // `launch` belongs to nodes of the GPU; before a copy the CPU has a node.
      const Target to = is_copy_engine(step.element) ? Target{cpu, false} : Target{work, true};
      flush(to);
      folded_.call[i] = to;
      folded_.work[i] = {work, false};
      folded_.nodes[work].steps.push_back(static_cast<NodeIndex>(i));
    }
    if (!pending.empty()) {
      cpu = add(Folded::kCpu);
      follow(cpu);
      flush({cpu, false});
    }
    return finish();
  }

 private:
  NodeIndex add(std::uint32_t element) {
    folded_.nodes.push_back({element});
    return static_cast<NodeIndex>(folded_.nodes.size() - 1);
  }
  NodeIndex next_cpu(NodeIndex& cpu) {
    const NodeIndex node = add(Folded::kCpu);
    if (cpu != kNobody) edge(cpu, node);
    return cpu = node;
  }
  void edge(NodeIndex from, NodeIndex to) {
    if (from != to) edges_.emplace(from, to);
  }
  Folded finish() {
    folded_.edges.assign(edges_.begin(), edges_.end());
    return std::move(folded_);
  }

  const Shape& shape_;
  Folded folded_;
  std::set<Edge> edges_;
  bool fresh_ = false;  ///< the CPU node now was begun by a sync, and has room for what follows
};

}  // namespace

Folded fold(const Shape& shape, Fold how) {
  Folder builder(shape);
  switch (how) {
    case Fold::kNone:
      return builder.grouped(one_each(shape));
    case Fold::kStream:
      return builder.grouped(by_stream(shape));
    case Fold::kAnnotation:
      return builder.grouped(by_annotation(shape));
    case Fold::kTask:
      break;
  }
  return builder.chained();
}

NodeTimes times_of(const Folded& folded, const Job& job) {
  NodeTimes times;
  times.lasts.resize(folded.nodes.size());
  times.launch.resize(folded.nodes.size());
  times.present.resize(folded.nodes.size());
  const auto add = [&](Target to, std::int64_t time) {
    if (to.node == Target::kNowhere) return;
    (to.launch ? times.launch : times.lasts)[to.node] += time;
    times.present[to.node] = true;
  };
  for (const StepTimes& step : job.times) {
    add(folded.gap[step.place], step.gap);
    add(folded.call[step.place], step.call);
    add(folded.work[step.place], step.lasts);
  }
  return times;
}

}  // namespace tactus::exchange
