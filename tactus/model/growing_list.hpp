#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <mutex>
#include <span>

namespace tactus {

/// How an attempt to add something ended.
enum class Added {
  kYes,
  kClashes,  ///< with something that is there
  kFull,
};

/// A list that only grows, for registries: threads may read it while another adds to it, and what
/// `all()` has returned stays valid, because nothing in it ever moves.
template <typename T, std::size_t kMost>
class GrowingList {
 public:
  GrowingList(std::initializer_list<T> first) : size_(first.size()) {
    static_assert(kMost > 0);
    std::copy(first.begin(), first.end(), items_.begin());
  }

  std::span<const T> all() const { return {items_.data(), size_.load(std::memory_order_acquire)}; }

  /// Adds an item, unless `clashes(other)` says yes of one that is there.
  template <typename Clashes>
  Added add(T item, Clashes clashes) {
    const std::lock_guard guard(adding_);
    const std::span<const T> there = all();
    if (std::any_of(there.begin(), there.end(), clashes)) return Added::kClashes;
    if (there.size() == kMost) return Added::kFull;
    items_[there.size()] = std::move(item);
    size_.store(there.size() + 1, std::memory_order_release);
    return Added::kYes;
  }

 private:
  std::array<T, kMost> items_ = {};
  std::atomic<std::size_t> size_;
  std::mutex adding_;
};

}  // namespace tactus
