#pragma once

#include <cstdint>
#include <vector>

#include "tactus/methods/pbs/windows.hpp"

namespace tactus::pbs {

/// What is known about the states of one window with one ready mask, at any time.
struct Record {
  static constexpr std::uint32_t kNoIntervals = UINT32_MAX;
  static constexpr std::uint32_t kFreeSlot = UINT32_MAX;

  Mask ready = 0;
  Ticks feasible = -1;        ///< F: the largest time known feasible when idling is allowed
  Ticks infeasible = kNever;  ///< I: the smallest time known infeasible even then
  std::uint32_t window = kFreeSlot;
  std::uint32_t intervals = kNoIntervals;  ///< head of its learned intervals
};
static_assert(sizeof(Record) == 32);

/// Records by (window, ready mask): open addressing with linear probing, doubled at 70 %, so a
/// record costs 46 to 91 bytes. References last until the next insertion.
class RecordTable {
 public:
  RecordTable() : slots_(kFirstSlots) {}

  /// The record, and whether it is new.
  std::pair<Record&, bool> find_or_insert(std::uint32_t window, Mask ready) {
    std::size_t at = slot_of(window, ready);
    if (slots_[at].window != Record::kFreeSlot) return {slots_[at], false};
    if ((count_ + 1) * 10 > slots_.size() * 7) {
      grow();
      at = slot_of(window, ready);
    }
    ++count_;
    slots_[at].window = window;
    slots_[at].ready = ready;
    return {slots_[at], true};
  }
  /// Nothing when there is none.
  const Record* find(std::uint32_t window, Mask ready) const {
    const Record& slot = slots_[slot_of(window, ready)];
    return slot.window == Record::kFreeSlot ? nullptr : &slot;
  }

  template <typename Visit>
  void for_each_record(Visit visit) {
    for (Record& record : slots_) {
      if (record.window != Record::kFreeSlot) visit(record);
    }
  }

  std::size_t size() const { return count_; }
  std::size_t bytes() const { return slots_.size() * sizeof(Record); }
  /// While growing, the old and the new table exist side by side.
  std::size_t bytes_to_grow() const {
    return (count_ + 1) * 10 > slots_.size() * 7 ? 2 * bytes() : 0;
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;

  std::size_t slot_of(std::uint32_t window, Mask ready) const {
    std::uint64_t hash = (ready ^ (std::uint64_t{window} << 40)) * 0x9e3779b97f4a7c15;
    hash = (hash ^ (hash >> 29) ^ window) * 0xbf58476d1ce4e5b9;
    std::size_t at = (hash >> 20) & (slots_.size() - 1);
    while (slots_[at].window != Record::kFreeSlot &&
           (slots_[at].window != window || slots_[at].ready != ready)) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }
  void grow() {
    std::vector<Record> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Record& record : old) {
      if (record.window != Record::kFreeSlot) slots_[slot_of(record.window, record.ready)] = record;
    }
  }

  std::vector<Record> slots_;
  std::size_t count_ = 0;
};

}  // namespace tactus::pbs
