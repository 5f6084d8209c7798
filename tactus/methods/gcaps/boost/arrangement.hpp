#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tactus/methods/gcaps/boost/view.hpp"

namespace tactus::gcaps::boost {

inline constexpr std::size_t kNoRank = std::numeric_limits<std::size_t>::max();

/// Who goes first on the GPU, and who may take whom off.
struct Arrangement {
  /// The real-time users of the GPU, the most urgent first: the rank of a task is its place here.
  std::vector<std::size_t> by_rank;
  /// tr, by section: only tasks of a lower rank than this take it off. Never above its own rank.
  std::vector<std::size_t> limit;
};

/// The users of the GPU by the GPU priorities of the file.
std::vector<std::size_t> order_of_file(const View& view);

/// By place in the set; `kNoRank` for a task that does not use the GPU.
std::vector<std::size_t> ranks_of(const View& view, const std::vector<std::size_t>& by_rank);

/// The thresholds of the file; a section without one may be taken off by every more urgent task.
Arrangement arrangement_of_file(const View& view);

/// A share of a deadline: a section that is not longer than this share of the deadline of a task is
/// not taken off for that task.
struct Share {
  std::int64_t numerator, denominator;  ///< a denominator of 0: any length
};
bool is_within(Time length, Share share, Time deadline);

/// The thresholds for this order. Sections that are finished sooner than taken off are always
/// protected.
Arrangement arranged(const View& view, const std::vector<std::size_t>& by_rank, Share tolerated);

}  // namespace tactus::gcaps::boost
