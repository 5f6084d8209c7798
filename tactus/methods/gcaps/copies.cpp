#include "tactus/methods/gcaps/copies.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "tactus/methods/chain.hpp"
#include "tactus/methods/gcaps/gcaps_task_set.hpp"
#include "tactus/methods/gpu_time.hpp"

namespace tactus::gcaps {

void CopyQueue::add(Time copy) {
  copies_.insert(std::upper_bound(copies_.begin(), copies_.end(), copy, std::greater<>()), copy);
  total_ += copy;
}

Time CopyQueue::wait(std::optional<Time> without) const {
  // While a copy waits, every unit is busy with a copy of another task. So it waits no longer than t
  // with units * t <= sum of min(copy, t): the least, over k, of what all but the k longest copies
  // take on the units that those leave.
  const auto skipped =
      without ? std::lower_bound(copies_.begin(), copies_.end(), *without, std::greater<>())
              : copies_.end();
  Time left = total_ - without.value_or(Time());
  Time least = left;
  auto next = copies_.begin();
  for (std::int64_t units = units_; units > 0; --units) {
    if (next == skipped && next != copies_.end()) ++next;
    if (next == copies_.end()) return Time();  // a unit is left for it
    least = std::min(least, div_up(left, units));
    left -= *next++;
  }
  return least;
}

void Copies::join(std::size_t task, Time CopyUse::*length, std::vector<CopyQueue>& queues) const {
  for (std::size_t engine = 0; engine < queues.size(); ++engine) {
    std::optional<Time> longest;
    for (const CopyUse& use : of(task)) {
      if (use.engine == engine) longest = std::max(longest.value_or(Time()), use.*length);
    }
    if (longest) queues[engine].add(*longest);
  }
}

void Copies::clear() {
  engines.clear();
  uses.clear();
  first.clear();
  kernels.clear();
  first_kernels.clear();
}

namespace {

/// Looks for the copies of one task after the other, in the order of the set.
class CopyFinder {
 public:
  CopyFinder(const System& system, TaskSet& set) : system_(system), set_(set) {
    for (const Element& element : system.platform.elements) {
      const bool copies = element.kind == ElementKind::kCopy;
      const bool exclusive = copies && element.sharing != CopySharing::kShared;
      engine_.push_back(exclusive ? set.copies.engines.size() : kNone);
      if (exclusive) set.copies.engines.push_back(element.units);
    }
    run_.resize(set.copies.engines.size());
  }

  void add(const Task& task, GpuTask& out) {
    Copies& copies = set_.copies;
    copies.first.push_back(copies.uses.size());
    copies.first_kernels.push_back(copies.kernels.size());
    if (!out.uses_gpu()) return;
    segments_ = 0;
    in_segment_ = copying_ = false;
    const auto chain = std::get<std::vector<NodeIndex>>(chain_of(task, {}));
    for (const NodeIndex index : chain) add(task, task.nodes[index], out);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void add(const Task& task, const Node& node, GpuTask& out) {
    const ElementKind kind = system_.platform.elements[node.on].kind;
    if (kind == ElementKind::kCpu) {
      in_segment_ = copying_ = false;
      return;
    }
    if (!in_segment_) ++segments_;
    if (kind == ElementKind::kGpu) {
      const Time time = node.wcet ? *node.wcet : whole_gpu_time(system_, task, node)->wcet;
      if (!in_segment_ || copying_) set_.copies.kernels.emplace_back();
      set_.copies.kernels.back() += time;
    } else {
      if (!copying_) std::fill(run_.begin(), run_.end(), Time());
      out.copy_time += *node.wcet;
      if (engine_[node.on] != kNone) add_copy(engine_[node.on], *node.wcet);
    }
    in_segment_ = true;
    copying_ = kind == ElementKind::kCopy;
  }

  void add_copy(std::size_t engine, Time length) {
    std::vector<CopyUse>& uses = set_.copies.uses;
    const auto own = uses.begin() + static_cast<std::ptrdiff_t>(set_.copies.first.back());
    auto use = std::find_if(own, uses.end(), [&](const CopyUse& known) {
      return known.segment == segments_ - 1 && known.engine == engine;
    });
    if (use == uses.end()) use = uses.insert(use, {segments_ - 1, engine, 0, {}, {}});
    run_[engine] += length;
    ++use->count;
    use->longest = std::max(use->longest, length);
    use->longest_run = std::max(use->longest_run, run_[engine]);
  }

  const System& system_;
  TaskSet& set_;
  std::vector<std::size_t> engine_;  ///< by element
  std::size_t segments_ = 0;         ///< of the task so far
  bool in_segment_ = false, copying_ = false;
  std::vector<Time> run_;  ///< of copies up to this node, by engine
};

/// A job waits before each of its copies.
Time waits_of(const TaskSet& set, std::size_t task, const std::vector<CopyQueue>& queues) {
  Time sum;
  for (const CopyUse& use : set.copies.of(task)) {
    sum += use.count * queues[use.engine].wait();
  }
  return sum;
}

/// With the GPU priorities of the file, the least urgent first: each waits for those before it.
void add_waits_for_lower(TaskSet& set) {
  std::vector<CopyQueue> queues = set.copies.queues();
  for (std::size_t i = set.real_time; i < set.tasks.size(); ++i) {
    set.copies.join(i, &CopyUse::longest, queues);
  }
  std::vector<std::size_t> order(set.real_time);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return set.tasks[a].gpu_priority < set.tasks[b].gpu_priority;
  });
  for (const std::size_t i : order) {
    set.tasks[i].copy_wait = waits_of(set, i, queues);
    set.copies.join(i, &CopyUse::longest, queues);
  }
}

void add_waits_for_all(TaskSet& set) {
  std::vector<CopyQueue> queues = set.copies.queues();
  for (std::size_t i = 0; i < set.tasks.size(); ++i) {
    set.copies.join(i, &CopyUse::longest, queues);
  }
  for (std::size_t i = 0; i < set.real_time; ++i) {
    const auto uses = set.copies.of(i);
    for (const CopyUse& use : uses) {
      Time own;  // which it has put into the queue
      for (const CopyUse& other : uses) {
        if (other.engine == use.engine) own = std::max(own, other.longest);
      }
      set.tasks[i].copy_wait_for_all += use.count * queues[use.engine].wait(own);
    }
  }
}

}  // namespace

void find_copies(const System& system, TaskSet& set) {
  const auto& elements = system.platform.elements;
  const auto copies = [](const Element& element) { return element.kind == ElementKind::kCopy; };
  if (std::none_of(elements.begin(), elements.end(), copies)) return;
  CopyFinder finder(system, set);
  for (GpuTask& task : set.tasks) finder.add(system.tasks[task.index], task);
  set.copies.first.push_back(set.copies.uses.size());
  set.copies.first_kernels.push_back(set.copies.kernels.size());
  if (set.copies.uses.empty()) return;
  add_waits_for_lower(set);
  add_waits_for_all(set);
}

Time copy_wait_at(const TaskSet& set, std::size_t i, std::span<const std::int64_t> gpu_level) {
  if (!set.copies.any() || set.copies.of(i).empty()) return Time();
  std::vector<CopyQueue> queues = set.copies.queues();
  for (std::size_t k = 0; k < set.tasks.size(); ++k) {
    const bool above = k < set.real_time && gpu_level[k] > gpu_level[i];
    if (k != i && !above) set.copies.join(k, &CopyUse::longest, queues);
  }
  return waits_of(set, i, queues);
}

}  // namespace tactus::gcaps
