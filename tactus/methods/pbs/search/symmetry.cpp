#include "tactus/methods/pbs/search/symmetry.hpp"

#include <tuple>

namespace tactus::pbs {

Symmetry::Symmetry(const TaskSet& set) : Symmetry() {
  if (!set.listed.empty()) return;
  const auto key = [](const Kernel& kernel) {
    return std::tie(kernel.period, kernel.deadline, kernel.offset, kernel.wcet, kernel.level,
                    kernel.blocks, kernel.need);
  };
  for (std::size_t i = 0; i < set.size(); ++i) {
    for (std::size_t j = i + 1; j < set.size(); ++j) {
      if (key(set.kernels[i]) != key(set.kernels[j])) continue;
      has_next_ |= bit(i);
      next_[i] = static_cast<std::uint8_t>(j);
      break;
    }
  }
}

}  // namespace tactus::pbs
