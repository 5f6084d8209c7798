#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tactus/methods/pbs/windows.hpp"

/// Sets of kernels whose sizes add up to at most a capacity.
namespace tactus::pbs {

/// What every packing must contain at least, or it is of no use: members of this weight together.
struct PackingNeed {
  const std::vector<std::int64_t>* weights = nullptr;
  Mask members = 0;
  std::int64_t least = 0;
};

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

  static constexpr std::size_t kMostNeeds = 4;
  /// From now on, packings that cannot meet one of these are left out, most of them before they are
  /// complete: that is what keeps the list of a state with 30 ready kernels short.
  /// @pre at most kMostNeeds.
  void require(std::span<const PackingNeed> needs) {
    needs_ = needs;
    least_shortage_ = INT64_MAX;
  }
  /// By how little the best of what was left out missed its need; INT64_MAX when nothing was.
  std::int64_t least_shortage() const { return least_shortage_; }

  /// Calls `emit(mask)` for every maximal packing; stops when it answers false.
  template <typename Emit>
  void maximal(Mask fixed, Mask optional, Emit&& emit) {
    if (!prepare(fixed, optional)) return;
    extend_maximal(0, fixed, room_, INT64_MAX, missing_, emit);
  }

  /// Calls `emit(mask)` for every packing, `fixed` alone included.
  template <typename Emit>
  void all(Mask fixed, Mask optional, Emit&& emit) {
    if (!prepare(fixed, optional)) return;
    extend_all(0, fixed, room_, missing_, emit);
  }

 private:
  using PerNeed = std::array<std::int64_t, kMostNeeds>;

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
    for (std::size_t c = 0; c < needs_.size(); ++c) prepare_need(c, fixed);
    return room_ >= 0;
  }

  void prepare_need(std::size_t c, Mask fixed) {
    const PackingNeed& need = needs_[c];
    missing_[c] = need.least;
    for_each(fixed & need.members, [&](std::size_t i) { missing_[c] -= (*need.weights)[i]; });
    rest_weight_[c][count_] = 0;
    densest_[c][count_] = 0;
    for (std::size_t i = count_; i-- > 0;) {
      const std::size_t item = items_[i];
      const std::int64_t weight = (need.members & bit(item)) == 0 ? 0 : (*need.weights)[item];
      weight_[c][i] = weight;
      rest_weight_[c][i] = rest_weight_[c][i + 1] + weight;
      // Rounded up generously: it may only be too large.
      const double density =
          weight == 0 ? 0 : static_cast<double>(weight) / static_cast<double>(sizes_[item]);
      densest_[c][i] = std::max(densest_[c][i + 1], density * kRoundUp);
    }
  }

  /// Whether no choice among the items from `at` on brings what is missing.
  bool hopeless(std::size_t at, std::int64_t room, const PerNeed& missing) {
    for (std::size_t c = 0; c < needs_.size(); ++c) {
      if (missing[c] <= 0) continue;
      std::int64_t most = rest_weight_[c][at];
      const double by_size = densest_[c][at] * static_cast<double>(room) * kRoundUp + 1;
      if (by_size < static_cast<double>(most)) most = static_cast<std::int64_t>(by_size) + 1;
      if (most >= missing[c]) continue;
      least_shortage_ = std::min(least_shortage_, missing[c] - most);
      return true;
    }
    return false;
  }
  PerNeed with(std::size_t at, PerNeed missing) const {
    for (std::size_t c = 0; c < needs_.size(); ++c) missing[c] -= weight_[c][at];
    return missing;
  }

  template <typename Emit>
  bool extend_maximal(std::size_t at, Mask chosen, std::int64_t room, std::int64_t least_left_out,
                      const PerNeed& missing, Emit& emit) {
    if (hopeless(at, room, missing)) return true;
    if (rest_size_[at] <= room) {
      // Everything left fits; leaving any of it out would not be maximal.
      if (room - rest_size_[at] >= least_left_out) return true;
      return emit(chosen | rest_mask_[at]);
    }
    const std::size_t item = items_[at];
    const std::int64_t size = sizes_[item];
    if (size <= room && !extend_maximal(at + 1, chosen | bit(item), room - size, least_left_out,
                                        with(at, missing), emit)) {
      return false;
    }
    return extend_maximal(at + 1, chosen, room, std::min(least_left_out, size), missing, emit);
  }

  template <typename Emit>
  bool extend_all(std::size_t at, Mask chosen, std::int64_t room, const PerNeed& missing,
                  Emit& emit) {
    if (!hopeless(count_, room, missing) && !emit(chosen)) return false;
    for (std::size_t i = at; i < count_; ++i) {
      if (hopeless(i, room, missing)) return true;
      const std::int64_t size = sizes_[items_[i]];
      if (size <= room &&
          !extend_all(i + 1, chosen | bit(items_[i]), room - size, with(i, missing), emit)) {
        return false;
      }
    }
    return true;
  }

  static constexpr double kRoundUp = 1 + 1e-12;
  static constexpr std::int64_t kHuge = INT64_MAX / 4;
  const std::vector<std::int64_t>& sizes_;
  std::int64_t capacity_, room_ = 0;
  std::size_t count_ = 0;
  std::array<std::uint8_t, kMaxKernels> items_;  ///< by descending size
  std::array<std::int64_t, kMaxKernels + 1> rest_size_;
  std::array<Mask, kMaxKernels + 1> rest_mask_;
  std::span<const PackingNeed> needs_;
  PerNeed missing_ = {};  ///< by need, beside the fixed kernels
  std::array<std::array<std::int64_t, kMaxKernels>, kMostNeeds> weight_;  ///< by need and item
  std::array<std::array<std::int64_t, kMaxKernels + 1>, kMostNeeds> rest_weight_;
  std::array<std::array<double, kMaxKernels + 1>, kMostNeeds> densest_;  ///< weight per size
  std::int64_t least_shortage_ = INT64_MAX;
};

}  // namespace tactus::pbs
