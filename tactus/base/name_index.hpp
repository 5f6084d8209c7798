#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tactus {

/// Finds the place of a name in an array. Flat, because a task may have a million nodes and each
/// edge asks twice: an open hash table of small slots beside the names in their order.
class NameIndex {
 public:
  struct Entry {
    std::string_view name;
    std::uint32_t place;
  };

  /// For at most `capacity` names.
  explicit NameIndex(std::size_t capacity = 0) : slots_(std::bit_ceil(2 * capacity + 1)) {
    entries_.reserve(capacity);
  }

  /// False, without a change, if the name is there already.
  bool insert(std::string_view name, std::uint32_t place) {
    Slot& slot = slots_[slot_of(name)];
    if (slot.entry != 0) return false;
    entries_.push_back({name, place});
    slot = {tag_of(hash(name)), static_cast<std::uint32_t>(entries_.size())};
    return true;
  }

  std::optional<std::uint32_t> find(std::string_view name) const {
    const Slot slot = slots_[slot_of(name)];
    if (slot.entry == 0) return std::nullopt;
    return entries_[slot.entry - 1].place;
  }

  /// The names in the order they came.
  std::span<const Entry> entries() const { return entries_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;    ///< upper half of the hash, to skip most comparisons
    std::uint32_t entry = 0;  ///< 1 + index into `entries_`; 0 is empty
  };

  static std::uint64_t hash(std::string_view name) { return std::hash<std::string_view>{}(name); }
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  /// The slot of the name, or the empty one where it belongs.
  std::size_t slot_of(std::string_view name) const {
    const std::uint64_t hashed = hash(name);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hashed & mask;; at = (at + 1) & mask) {
      const Slot slot = slots_[at];
      if (slot.entry == 0) return at;
      if (slot.tag == tag_of(hashed) && entries_[slot.entry - 1].name == name) return at;
    }
  }

  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
};

}  // namespace tactus
