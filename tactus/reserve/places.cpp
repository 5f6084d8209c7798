#include "tactus/reserve/places.hpp"

#include <algorithm>
#include <utility>

namespace tactus::reserve {

using gcaps::boost::kNoRank, gcaps::boost::Share;

std::vector<std::size_t> places_for(const Task& newcomer, std::span<const Placed> tasks) {
  const auto first =
      static_cast<std::size_t>(std::find_if(tasks.begin(), tasks.end(),
                                            [&](const Placed& placed) {
                                              return *placed.task->deadline > *newcomer.deadline;
                                            }) -
                               tasks.begin());
  std::vector<std::size_t> places = {first};
  for (std::size_t away = 1; away <= tasks.size(); ++away) {
    if (first + away <= tasks.size()) places.push_back(first + away);
    if (away <= first) places.push_back(first - away);
  }
  return places;
}

std::vector<Placed> with_newcomer(std::span<const Placed> tasks,
                                  std::shared_ptr<const Task> newcomer, std::size_t place) {
  std::vector<Placed> list(tasks.begin(), tasks.end());
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), {std::move(newcomer), {}});
  return list;
}

void cut(const Ordered& ordered, std::span<const Placed> before, std::size_t place, Share tolerated,
         std::vector<Placed>& list) {
  const Time low = ordered.costs().low();
  const auto tolerates = [&](const Task& task, Time length) {
    return length <= low || is_within(length, tolerated, *task.deadline);
  };
  const std::size_t rank = ordered.rank_of(place);
  const Task& newcomer = *list[place].task;
  for (std::size_t i = 0; i < list.size() && rank != kNoRank; ++i) {
    if (i == place) continue;
    const std::vector<std::size_t>& old = before[i < place ? i : i - 1].cuts;
    for (std::size_t s = 0; s < old.size(); ++s) {
      const bool taken_off =
          old[s] > rank || (old[s] == rank && !tolerates(newcomer, ordered.length(i, s)));
      // A cut at the newcomer's rank is of a task behind it: its own rank has risen, too.
      list[i].cuts[s] = old[s] + (taken_off ? 1 : 0);
    }
  }
  std::vector<std::size_t>& own = list[place].cuts;
  own.clear();
  for (std::size_t s = 0; s < ordered.segments_of(place); ++s) {
    std::size_t limit = rank;
    while (limit > 0 && tolerates(*list[ordered.at_rank(limit - 1)].task, ordered.length(place, s)))
      --limit;
    own.push_back(limit);
  }
}

std::vector<Placed> without(std::span<const Placed> list, std::size_t place, std::size_t rank) {
  std::vector<Placed> left(list.begin(), list.end());
  left.erase(left.begin() + static_cast<std::ptrdiff_t>(place));
  if (rank == kNoRank) return left;
  for (Placed& placed : left) {
    for (std::size_t& limit : placed.cuts) {
      if (limit > rank) --limit;
    }
  }
  return left;
}

}  // namespace tactus::reserve
