#include "tactus/methods/gcaps/boost/arrangement.hpp"

#include <algorithm>

namespace tactus::gcaps::boost {

std::vector<std::size_t> order_of_file(const View& view) {
  std::vector<std::size_t> order = view.gpu_tasks;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return view.task(a).gpu_priority > view.task(b).gpu_priority;
  });
  return order;
}

std::vector<std::size_t> ranks_of(const View& view, const std::vector<std::size_t>& by_rank) {
  std::vector<std::size_t> ranks(view.set->real_time, kNoRank);
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) ranks[by_rank[rank]] = rank;
  return ranks;
}

Arrangement arrangement_of_file(const View& view) {
  Arrangement arrangement{order_of_file(view), {}};
  const auto above = [&](std::int64_t threshold) {
    const auto& order = arrangement.by_rank;
    return static_cast<std::size_t>(std::partition_point(order.begin(), order.end(),
                                                         [&](std::size_t task) {
                                                           return view.task(task).gpu_priority >
                                                                  threshold;
                                                         }) -
                                    order.begin());
  };
  for (const Section& section : view.sections) {
    const std::int64_t own = view.task(section.task).gpu_priority;
    arrangement.limit.push_back(above(section.threshold.value_or(own)));
  }
  return arrangement;
}

bool is_within(Time length, Share share, Time deadline) {
  if (share.denominator == 0) return true;
  return static_cast<__int128>(length.ns()) * share.denominator <=
         static_cast<__int128>(deadline.ns()) * share.numerator;
}

Arrangement arranged(const View& view, const std::vector<std::size_t>& by_rank, Share tolerated) {
  const std::vector<std::size_t> ranks = ranks_of(view, by_rank);
  Arrangement arrangement{by_rank, {}};
  arrangement.limit.reserve(view.sections.size());
  for (const Section& section : view.sections) {
    std::size_t limit = ranks[section.task];
    const bool free = section.length <= view.costs.low();
    while (limit > 0 &&
           (free || is_within(section.length, tolerated, view.task(by_rank[limit - 1]).deadline))) {
      --limit;
    }
    arrangement.limit.push_back(limit);
  }
  return arrangement;
}

}  // namespace tactus::gcaps::boost
