#pragma once

#include <vector>

#include "tactus/reserve/analysis.hpp"

/// Where a newcomer goes, and what that makes of the thresholds of the others.
namespace tactus::reserve {

/// Places 0 to `tasks.size()`, in the order in which they are tried: the deadline-monotonic one (behind
/// those of the same deadline), then the others by their distance, behind first.
std::vector<std::size_t> places_for(const Task& newcomer, std::span<const Placed> tasks);

/// The list with a newcomer at this place and without cuts for it: the others keep theirs.
std::vector<Placed> with_newcomer(std::span<const Placed> tasks,
                                  std::shared_ptr<const Task> newcomer, std::size_t place);

/// Gives the newcomer its cuts, and moves those of the others: what decides between two of them stays
/// as it was, whatever state they are in. The one choice is at a cut that stands exactly at the place
/// of the newcomer: it takes that segment off unless it tolerates it.
/// @param before the list without it
void cut(const Ordered& ordered, std::span<const Placed> before, std::size_t place,
         gcaps::boost::Share tolerated, std::vector<Placed>& list);

/// The list without the task at this place.
/// @param rank of that task; `kNoRank` if it does not use the GPU
std::vector<Placed> without(std::span<const Placed> list, std::size_t place, std::size_t rank);

}  // namespace tactus::reserve
