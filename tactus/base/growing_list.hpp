#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include "tactus/base/result.hpp"

namespace tactus {

/// How an attempt to add something ended.
enum class Added {
  kYes,
  kClashes,  ///< with something that is there
  kFull,
};

/// What a registry says about an attempt; nothing if it succeeded. `noun` is "recipe", `nouns` is
/// "recipes".
std::optional<Error> why_not_added(Added added, std::string_view noun, std::string_view nouns,
                                   std::string_view name, std::size_t most);

/// A list that only grows, for registries: threads may read it while another adds to it, and what
/// `all()` has returned stays valid, because nothing in it ever moves.
template <typename T, std::size_t kMost>
class GrowingList {
 public:
  GrowingList(std::initializer_list<T> first) : first_(first.size()), size_(first.size()) {
    static_assert(kMost > 0);
    std::copy(first.begin(), first.end(), items_.begin());
  }

  std::span<const T> all() const { return {items_.data(), size_.load(std::memory_order_acquire)}; }

  /// Those that were added, without the first ones.
  std::span<const T> added() const { return all().subspan(first_); }

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
  std::size_t first_;
  std::atomic<std::size_t> size_;
  std::mutex adding_;
};

}  // namespace tactus
