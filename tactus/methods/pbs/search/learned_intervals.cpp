#include "tactus/methods/pbs/search/learned_intervals.hpp"

#include <algorithm>

namespace tactus::pbs {

void LearnedIntervals::add(Record& record, DeadInterval span) {
  std::uint32_t* link = &record.intervals;
  while (*link != Record::kNoIntervals) {
    const std::uint32_t at = *link;
    Link& other = pool_[at];
    const bool touches = other.span.from <= span.to + 1 && span.from <= other.span.to + 1;
    if (!touches) {
      link = &other.next;
      continue;
    }
    span = {std::min(span.from, other.span.from), std::max(span.to, other.span.to)};
    *link = other.next;
    other.next = free_;
    free_ = at;
    --used_;
  }
  std::uint32_t fresh = free_;
  if (fresh == Record::kNoIntervals) {
    fresh = static_cast<std::uint32_t>(pool_.size());
    pool_.push_back({});
  } else {
    free_ = pool_[fresh].next;
  }
  pool_[fresh] = {span, record.intervals};
  record.intervals = fresh;
  ++used_;
}

}  // namespace tactus::pbs
