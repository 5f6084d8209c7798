#include "tactus/arbiter/boost/guard.hpp"

#include <algorithm>

namespace tactus::arbiter::boost {

void Guard::begin(std::int64_t at) {
  arrival_ = any_ ? std::max(at, arrival_ + held_.period) : at;
  any_ = open_ = true;
  next_ = 0;
}

void Guard::arrive(std::int64_t claimed, std::int64_t now) { begin(std::min(claimed, now)); }

void Guard::end() { open_ = false; }

Permit Guard::submit(std::int64_t now) {
  const bool done = open_ && next_ >= held_.lengths.size();
  // Who says nothing begins a job with the first Submit after the last one of the job before. An
  // arrival that counted from that Submit would let an honest late job delay the next one.
  if (held_.undeclared && (!open_ || done)) begin(now - *held_.undeclared);
  Permit permit;
  if (!open_ || next_ >= held_.lengths.size()) {
    permit.demoted = true;
    permit.from = now;
    return permit;
  }
  permit.from = arrival_;
  permit.arrival = arrival_;
  permit.index = next_;
  permit.length = held_.lengths[next_++];
  return permit;
}

std::int64_t on_before(std::int64_t arrival, std::int64_t completion, std::int64_t notice,
                       std::int64_t off) {
  return arrival + completion - notice - off;
}

}  // namespace tactus::arbiter::boost
