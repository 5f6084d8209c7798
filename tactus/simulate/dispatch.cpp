#include "tactus/simulate/dispatch.hpp"

#include <algorithm>
#include <bit>

#include "tactus/base/random.hpp"

namespace tactus::simulate {

std::uint32_t add_barrier(Job& job, const Work& like) {
  const NodeIndex node = like.node;  // `like` may be a work of the job, and move
  const ElementIndex element = like.element;
  Work& barrier = job.works.emplace_back();
  barrier.node = node;
  barrier.element = element;
  return static_cast<std::uint32_t>(job.works.size() - 1);
}

Launch add_blocks(const View& view, TaskIndex task, Job& job, Work block,
                  std::span<const Time> lengths) {
  const std::uint64_t key = static_cast<std::uint64_t>(task) << 32 | job.number;
  Random lots(view.scenario().seed ^ key, job.works.size());
  const bool draws = view.scenario().order == trace::Order::kRandom;
  block.preemptible = view.scenario().preemptive;
  const auto add = [&](Time length) {
    const std::uint32_t index = job.add(block);
    job.works[index].remaining = length;
    if (draws) job.works[index].tag = static_cast<std::uint32_t>(lots.next());
    return index;
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

namespace {

/// Smaller keys come first; works with equal keys keep the order in which they became ready.
std::uint64_t key_of(const View& view, WorkId id, std::uint64_t added) {
  const auto before = [&](std::uint32_t what) {
    return static_cast<std::uint64_t>(what) << 32 | static_cast<std::uint32_t>(added);
  };
  switch (view.scenario().order) {
    case trace::Order::kFifo:
      return added;
    case trace::Order::kLifo:
      return ~added;
    case trace::Order::kRandom:
      return before(view.work(id).tag);
    case trace::Order::kLatest:
      // The works of a job are in the order of the plan's steps, or of the graph.
      return before(~id.index);
  }
  return added;
}

}  // namespace

void WaitingList::add(const View& view, WorkId id) {
  entries_.push_back({key_of(view, id, added_++), id});
}

void WaitingList::remove(WorkId id) {
  put_in_order();
  std::erase_if(entries_, [&](const Entry& entry) { return entry.id == id; });
  in_order_ = entries_.size();
}

void WaitingList::put_in_order() {
  const auto sooner = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  const auto fresh = entries_.begin() + static_cast<std::ptrdiff_t>(in_order_);
  if (!std::is_sorted(fresh, entries_.end(), sooner)) std::sort(fresh, entries_.end(), sooner);
  if (in_order_ > 0 && in_order_ < entries_.size() && sooner(*fresh, *(fresh - 1))) {
    std::inplace_merge(entries_.begin(), fresh, entries_.end(), sooner);
  }
  in_order_ = entries_.size();
}

namespace {

constexpr std::uint32_t kLast = static_cast<std::uint32_t>(-1);

}  // namespace

std::uint32_t UnitPool::take_lowest() {
  while (lowest_ < given_back_.size() && given_back_[lowest_] == 0) ++lowest_;
  if (lowest_ == given_back_.size()) {
    const auto place = static_cast<std::uint32_t>(next_.size());
    next_.push_back(kLast);
    return place;
  }
  std::uint64_t& word = given_back_[lowest_];
  const auto place =
      static_cast<std::uint32_t>(lowest_ * 64) + static_cast<std::uint32_t>(std::countr_zero(word));
  word &= word - 1;
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
    const std::size_t word = place / 64;
    if (word >= given_back_.size()) given_back_.resize(word + 1);
    given_back_[word] |= std::uint64_t{1} << place % 64;
    lowest_ = std::min(lowest_, word);
  }
}

}  // namespace tactus::simulate
