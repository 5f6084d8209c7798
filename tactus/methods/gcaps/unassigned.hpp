#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "tactus/methods/gcaps/gcaps_task_set.hpp"

namespace tactus::gcaps {

/// The GPU level of a task that has none yet: above all that have.
inline constexpr std::int64_t kUnassigned = std::numeric_limits<std::int64_t>::max();

/// The tasks without a GPU level: on each core they follow its CPU order.
class Unassigned {
 public:
  Unassigned(const TaskSet& set, std::vector<std::size_t>& left) : set_(set), left_(left) {
    left.assign(set.cores, 0);
    for (std::size_t i = 0; i < set.real_time; ++i) ++left[set.tasks[i].core];
  }

  /// The lowest one; nothing: all are assigned.
  std::optional<std::size_t> lowest(std::size_t core) const {
    if (left_[core] == 0) return std::nullopt;
    return set_.on_core(core)[left_[core] - 1];
  }
  /// The next that may take a level, from the lowest CPU priority upwards; only the lowest of a core
  /// may.
  std::optional<std::size_t> candidate_above(std::optional<std::size_t> before) const {
    std::optional<std::size_t> next;
    for (std::size_t core = 0; core < set_.cores; ++core) {
      const auto own = lowest(core);
      if (own && (!before || *own < *before) && (!next || *own > *next)) next = own;
    }
    return next;
  }
  /// @pre it is the lowest one of its core
  void take(std::size_t i) { --left_[set_.tasks[i].core]; }

 private:
  const TaskSet& set_;
  std::vector<std::size_t>& left_;  ///< by core: the most urgent ones, so many
};

}  // namespace tactus::gcaps
