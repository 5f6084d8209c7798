#pragma once

#include <unordered_map>
#include <vector>

#include "tactus/methods/pbs/windows.hpp"

namespace tactus::pbs {

/// The batches of a ready mask, best first, for any time: which of them meet the deadlines is
/// tested against `completions`, one mask for each.
struct MoveList {
  struct Entry {
    Mask batch = 0;
    std::uint32_t completion = 0;  ///< index into `completions`
  };
  std::vector<Ticks> completions;  ///< distinct, ascending
  std::vector<Entry> entries;
};

/// Lists by ready mask. They are what fills the memory of a long search, so the cache forgets
/// everything when it exceeds its bytes; a list depends only on its mask, so only time is
/// lost.
class MoveCache {
 public:
  explicit MoveCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  const MoveList* find(Mask ready) const {
    const auto found = lists_.find(ready);
    return found == lists_.end() ? nullptr : &found->second;
  }
  /// The reference lasts until the next insertion.
  const MoveList& insert(Mask ready, MoveList list) {
    const std::size_t bytes = kOverhead + list.entries.capacity() * sizeof(MoveList::Entry) +
                              list.completions.capacity() * sizeof(Ticks);
    if (bytes_ + bytes > most_bytes_) {
      lists_.clear();
      bytes_ = 0;
    }
    bytes_ += bytes;
    return lists_.insert_or_assign(ready, std::move(list)).first->second;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kOverhead = 128;
  std::size_t most_bytes_, bytes_ = 0;
  std::unordered_map<Mask, MoveList> lists_;
};

}  // namespace tactus::pbs
