#include "tactus/simulate/dispatch.hpp"

#include <algorithm>
#include <functional>

#include "tactus/generate/random.hpp"

namespace tactus::simulate {

std::uint32_t add_barrier(Job& job, const Work& like) {
  Work barrier;
  barrier.node = like.node;
  barrier.element = like.element;
  return job.add(barrier);
}

Launch add_blocks(const View& view, TaskIndex task, Job& job, Work block,
                  std::span<const Time> lengths) {
  const std::uint64_t key = static_cast<std::uint64_t>(task) << 32 | job.number;
  Random lots(view.scenario().seed ^ key, job.works.size());
  const bool draws = view.scenario().order == Order::kRandom;
  block.preemptible = view.scenario().preemptive;
  const auto add = [&](Time length) {
    block.remaining = length;
    if (draws) block.tag = static_cast<std::uint32_t>(lots.next());
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

namespace {

constexpr std::uint32_t kLast = static_cast<std::uint32_t>(-1);

}  // namespace

std::uint32_t UnitPool::take_lowest() {
  if (given_back_.empty()) {
    next_.push_back(kLast);
    return static_cast<std::uint32_t>(next_.size() - 1);
  }
  std::pop_heap(given_back_.begin(), given_back_.end(), std::greater<>());
  const std::uint32_t place = given_back_.back();
  given_back_.pop_back();
  return place;
}

std::uint32_t UnitPool::take(std::int64_t width) {
  free_ -= width;
  const std::uint32_t lowest = take_lowest();
  std::uint32_t last = lowest;
  for (std::int64_t i = 1; i < width; ++i) {
    const std::uint32_t place = take_lowest();
    last = next_[last] = place;
  }
  next_[last] = kLast;
  return first_ + lowest;
}

void UnitPool::give(std::uint32_t name) {
  for (std::uint32_t place = name - first_; place != kLast; place = next_[place]) {
    ++free_;
    given_back_.push_back(place);
    std::push_heap(given_back_.begin(), given_back_.end(), std::greater<>());
  }
}

}  // namespace tactus::simulate
