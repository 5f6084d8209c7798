#pragma once

#include <array>

#include "tactus/methods/pbs/windows.hpp"

namespace tactus::pbs {

/// Identical tasks: equal period, deadline, offset, wcet, level and block data, in a file without
/// listed batches (an entry would tell them apart).
///
/// Why it is sound: exchanging two ready jobs of such a class turns a schedule into a schedule, so
/// only the NUMBER of ready members matters. Taking always the highest-numbered ready ones leaves
/// the lowest-numbered ready, and the whole class arrives together; so every ready mask that occurs
/// is the canonical one of its orbit, and nothing has to be renamed.
class Symmetry {
 public:
  /// Without classes: every batch is canonical.
  Symmetry() { next_.fill(0); }
  explicit Symmetry(const TaskSet& set);

  /// Whether the batch takes the highest-numbered ready members of each class.
  bool canonical(Mask batch, Mask ready) const {
    bool good = true;
    for_each(batch & has_next_,
             [&](std::size_t i) { good = good && ((ready & ~batch) & bit(next_[i])) == 0; });
    return good;
  }
  bool empty() const { return has_next_ == 0; }

 private:
  Mask has_next_ = 0;
  std::array<std::uint8_t, kMaxKernels> next_;  ///< the next member of its class
};

}  // namespace tactus::pbs
