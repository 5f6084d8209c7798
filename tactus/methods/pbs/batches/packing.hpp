#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tactus/methods/pbs/search/windows.hpp"

/// Sets of kernels whose sizes add up to at most a capacity.
namespace tactus::pbs {

/// Enumerates packings of `optional` next to `fixed`, largest kernels first.
///
/// A packing is maximal when no further optional kernel fits. Why the relaxation needs only those:
/// if removing a kernel from a batch never lengthens it, moving a ready job from a later batch
/// into this one, with equal completion, delays nothing. Its deadline cannot forbid that: a job
/// left out must be able to run after the frame, hence also inside it. Under work conservation
/// this is false (a longer frame can be the one that lets a job arrive first), and there every
/// packing is needed.
class PackingEnumerator {
 public:
  PackingEnumerator(const std::vector<std::int64_t>& sizes, std::int64_t capacity)
      : sizes_(sizes), capacity_(capacity) {}

  /// Calls `emit(mask)` for every maximal packing; stops when it answers false.
  template <typename Emit>
  void maximal(Mask fixed, Mask optional, Emit&& emit) {
    if (!prepare(fixed, optional)) return;
    extend_maximal(0, fixed, room_, INT64_MAX, emit);
  }

  /// Calls `emit(mask)` for every packing, `fixed` alone included.
  template <typename Emit>
  void all(Mask fixed, Mask optional, Emit&& emit) {
    if (!prepare(fixed, optional)) return;
    extend_all(0, fixed, room_, emit);
  }

 private:
  bool prepare(Mask fixed, Mask optional) {
    room_ = capacity_;
    for_each(fixed, [&](std::size_t i) { room_ = room_ < sizes_[i] ? -1 : room_ - sizes_[i]; });
    count_ = 0;
    for_each(optional, [&](std::size_t i) { items_[count_++] = static_cast<std::uint8_t>(i); });
    std::sort(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(count_),
              [&](std::size_t a, std::size_t b) { return sizes_[a] > sizes_[b]; });
    rest_size_[count_] = 0;
    rest_mask_[count_] = 0;
    for (std::size_t i = count_; i-- > 0;) {
      const std::int64_t size = std::min(sizes_[items_[i]], kHuge);
      rest_size_[i] = std::min(rest_size_[i + 1] + size, kHuge);
      rest_mask_[i] = rest_mask_[i + 1] | bit(items_[i]);
    }
    return room_ >= 0;
  }

  template <typename Emit>
  bool extend_maximal(std::size_t at, Mask chosen, std::int64_t room, std::int64_t least_left_out,
                      Emit& emit) {
    if (rest_size_[at] <= room) {
      // Everything left fits; leaving any of it out would not be maximal.
      if (room - rest_size_[at] >= least_left_out) return true;
      return emit(chosen | rest_mask_[at]);
    }
    const std::size_t item = items_[at];
    const std::int64_t size = sizes_[item];
    if (size <= room &&
        !extend_maximal(at + 1, chosen | bit(item), room - size, least_left_out, emit)) {
      return false;
    }
    return extend_maximal(at + 1, chosen, room, std::min(least_left_out, size), emit);
  }

  template <typename Emit>
  bool extend_all(std::size_t at, Mask chosen, std::int64_t room, Emit& emit) {
    if (!emit(chosen)) return false;
    for (std::size_t i = at; i < count_; ++i) {
      const std::int64_t size = sizes_[items_[i]];
      if (size <= room && !extend_all(i + 1, chosen | bit(items_[i]), room - size, emit)) {
        return false;
      }
    }
    return true;
  }

  static constexpr std::int64_t kHuge = INT64_MAX / 4;
  const std::vector<std::int64_t>& sizes_;
  std::int64_t capacity_, room_ = 0;
  std::size_t count_ = 0;
  std::array<std::uint8_t, kMaxKernels> items_;  ///< by descending size
  std::array<std::int64_t, kMaxKernels + 1> rest_size_;
  std::array<Mask, kMaxKernels + 1> rest_mask_;
};

}  // namespace tactus::pbs
