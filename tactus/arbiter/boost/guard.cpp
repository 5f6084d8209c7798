#include "tactus/arbiter/boost/guard.hpp"

#include <algorithm>

namespace tactus::arbiter::boost {
namespace {

/// Never, where it cannot be said.
std::int64_t later(std::int64_t at, std::int64_t by) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(at, by, &sum) ? INT64_MAX : sum;
}

}  // namespace

void Guard::begin(std::int64_t at) {
  arrival_ = std::max(at, any_ ? later(arrival_, held_.period) : held_.first);
  any_ = open_ = true;
  next_ = 0;
}

/// The clock began at 0.
void Guard::arrive(std::int64_t claimed, std::int64_t now) {
  begin(std::clamp(claimed, std::int64_t{0}, now));
}

void Guard::end() { open_ = false; }

Permit Guard::submit(std::int64_t now, std::int64_t over) {
  const bool done = open_ && (next_ >= held_.lengths.size() || now >= later(arrival_, over));
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
  return later(arrival, completion) - notice - off;
}

}  // namespace tactus::arbiter::boost
