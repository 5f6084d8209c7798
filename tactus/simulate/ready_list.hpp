#pragma once

#include <cstddef>
#include <iterator>
#include <vector>

#include "tactus/simulate/work.hpp"

namespace tactus::simulate {

/// Works in the order they came; each can be taken out by its place, whatever stands before it.
class ReadyList {
 public:
  using Place = std::uint32_t;

  Place push_back(WorkId id);
  void erase(Place place);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = WorkId;
    using difference_type = std::ptrdiff_t;
    using pointer = const WorkId*;
    using reference = const WorkId&;

    Iterator() = default;
    Iterator(const ReadyList* list, Place at) : list_(list), at_(at) {}
    reference operator*() const { return list_->entries_[at_].id; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      at_ = list_->entries_[at_].next;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const ReadyList* list_ = nullptr;
    Place at_ = kNone;
  };
  Iterator begin() const { return {this, first_}; }
  Iterator end() const { return {this, kNone}; }

 private:
  static constexpr Place kNone = static_cast<Place>(-1);
  struct Entry {
    WorkId id;
    Place previous, next;
  };
  std::vector<Entry> entries_;  ///< in use, or linked by `next` from `free_` on
  Place first_ = kNone, last_ = kNone, free_ = kNone;
  std::size_t size_ = 0;
};

}  // namespace tactus::simulate
