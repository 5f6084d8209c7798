#include "tactus/simulate/ready_list.hpp"

namespace tactus::simulate {

ReadyList::Place ReadyList::push_back(WorkId id) {
  Place place = free_;
  if (place == kNone) {
    place = static_cast<Place>(entries_.size());
    entries_.emplace_back();
  } else {
    free_ = entries_[place].next;
  }
  entries_[place] = {id, last_, kNone};
  (last_ == kNone ? first_ : entries_[last_].next) = place;
  last_ = place;
  ++size_;
  return place;
}

void ReadyList::erase(Place place) {
  const Entry& entry = entries_[place];
  (entry.previous == kNone ? first_ : entries_[entry.previous].next) = entry.next;
  (entry.next == kNone ? last_ : entries_[entry.next].previous) = entry.previous;
  entries_[place].next = free_;
  free_ = place;
  --size_;
}

}  // namespace tactus::simulate
