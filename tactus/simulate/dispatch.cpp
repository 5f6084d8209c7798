#include "tactus/simulate/dispatch.hpp"

#include <algorithm>

#include "tactus/generate/random.hpp"

namespace tactus::simulate {

std::uint32_t add_barrier(Job& job, const Work& like) {
  Work barrier;
  barrier.node = like.node;
  barrier.element = like.element;
  return job.add(std::move(barrier));
}

Launch add_blocks(const View& view, TaskIndex task, Job& job, Work block,
                  const std::vector<Time>& lengths) {
  const std::uint64_t key = static_cast<std::uint64_t>(task) << 32 | job.number;
  Random lots(view.scenario().seed ^ key, job.works.size());
  const auto add = [&](Time length) {
    block.remaining = length;
    block.preemptible = view.scenario().preemptive;
    block.tag = static_cast<std::uint32_t>(lots.next());
    return job.add(block);
  };
  if (lengths.size() == 1) {
    const std::uint32_t only = add(lengths.front());
    return {only, only};
  }
  const Launch launch{add_barrier(job, block), add_barrier(job, block)};
  for (const Time length : lengths) {
    const std::uint32_t index = add(length);
    job.precede(launch.start, index);
    job.precede(index, launch.end);
  }
  return launch;
}

void put_in_order(const View& view, std::vector<WorkId>& works) {
  switch (view.scenario().order) {
    case Order::kFifo:
      return;
    case Order::kLifo:
      std::reverse(works.begin(), works.end());
      return;
    case Order::kRandom:
      std::stable_sort(works.begin(), works.end(),
                       [&](WorkId a, WorkId b) { return view.work(a).tag < view.work(b).tag; });
      return;
    case Order::kLatest:
      // The works of a job are in the order of the plan's steps, or of the graph.
      std::stable_sort(works.begin(), works.end(),
                       [](WorkId a, WorkId b) { return a.index > b.index; });
      return;
  }
}

const std::vector<WorkId>& WaitingList::update(const View& view, Choice& choice) {
  waiting_.clear();
  for (const WorkId id : view.ready()) {
    const Work& work = view.work(id);
    if (work.started) {
      choice.run(id, work.unit);
    } else {
      waiting_.push_back(id);
    }
  }
  put_in_order(view, waiting_);
  return waiting_;
}

std::uint32_t UnitPool::take(std::int64_t width) {
  std::vector<std::uint32_t> units;
  free_ -= width;
  for (; width > 0; --width) {
    if (given_back_.empty()) {
      units.push_back(fresh_++);
    } else {
      units.push_back(*given_back_.begin());
      given_back_.erase(given_back_.begin());
    }
  }
  const std::uint32_t name = units.front();
  taken_.emplace(name, std::move(units));
  return name;
}

void UnitPool::give(std::uint32_t name) {
  const auto found = taken_.find(name);
  free_ += std::ssize(found->second);
  given_back_.insert(found->second.begin(), found->second.end());
  taken_.erase(found);
}

}  // namespace tactus::simulate
