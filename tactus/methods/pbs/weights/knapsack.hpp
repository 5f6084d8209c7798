#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tactus/methods/pbs/batches/batch_source.hpp"

namespace tactus::pbs {

/// The sizes of kernels for a knapsack of bounded capacity. A capacity above the bound is scaled
/// down to it, and sizes are then rounded down, which admits more sets, never fewer.
class KnapsackSizes {
 public:
  explicit KnapsackSizes(const BatchSource& source) {
    if (!source.by_level()) return;
    std::int64_t total = 0;
    for (const std::int64_t size : source.sizes()) total += std::min(size, source.capacity());
    // Sizes 0: every set fits, and a knapsack of capacity 0 takes everything.
    const bool unbounded = total <= source.capacity();
    capacity_ = unbounded ? 0 : std::min(source.capacity(), kMostCapacity);
    for (const std::int64_t size : source.sizes()) {
      // A kernel that does not fit at all is in no batch.
      const bool joins = size <= source.capacity();
      const __int128 scaled =
          static_cast<__int128>(size) * capacity_ / std::max<std::int64_t>(source.capacity(), 1);
      sizes_.push_back(joins ? (unbounded ? 0 : static_cast<std::int64_t>(scaled)) : -1);
    }
  }

  std::int64_t capacity() const { return capacity_; }
  bool joins(std::size_t kernel) const { return sizes_[kernel] >= 0; }
  /// @pre joins(kernel)
  std::size_t of(std::size_t kernel) const { return static_cast<std::size_t>(sizes_[kernel]); }

 private:
  static constexpr std::int64_t kMostCapacity = 4096;
  std::vector<std::int64_t> sizes_;
  std::int64_t capacity_ = 0;
};

/// The heaviest set, of the kernels put in so far, that fits.
template <typename Value>
class Knapsack {
 public:
  explicit Knapsack(const KnapsackSizes& sizes) : sizes_(sizes) { clear(); }

  void clear() {
    best_.assign(static_cast<std::size_t>(sizes_.capacity()) + 1, Value{});
    chosen_.assign(best_.size(), 0);
  }
  void put(std::size_t kernel, Value value) {
    if (!sizes_.joins(kernel)) return;
    const std::size_t size = sizes_.of(kernel);
    for (std::size_t room = best_.size(); room-- > size;) {
      const Value with = best_[room - size] + value;
      if (with <= best_[room]) continue;
      best_[room] = with;
      chosen_[room] = chosen_[room - size] | bit(kernel);
    }
  }
  Value heaviest() const { return best_.back(); }
  Mask chosen() const { return chosen_.back(); }

 private:
  const KnapsackSizes& sizes_;
  std::vector<Value> best_;
  std::vector<Mask> chosen_;
};

}  // namespace tactus::pbs
