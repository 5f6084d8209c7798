#include "tactus/methods/gang/locks/smlp.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tactus::gang {
namespace {

/// Gangs of the access that `units` hold at a time.
std::int64_t side_by_side(const Element& element, const Access& access, std::int64_t units) {
  const Pools pools = pools_of(element, units);
  return pools.size / access.width * pools.count;
}

/// The fewest units that hold so many.
std::int64_t units_for(const Element& element, const Access& access, std::int64_t gangs) {
  return element.lanes > 1 ? ceil_div(gangs, element.lanes / access.width)
                           : checked::mul(gangs, access.width);
}

}  // namespace

Time resized_length(const Element& element, const Access& access, std::int64_t units) {
  return access.wcet * ceil_div(access.count, side_by_side(element, access, units));
}

Volume largest_area(const Element& element, const Access& access, std::int64_t fewest) {
  Volume largest = 0;
  // A request takes no more units than make it shorter: from one number of rounds to the next.
  for (std::int64_t units = fewest; units <= element.units;) {
    const std::int64_t rounds = ceil_div(access.count, side_by_side(element, access, units));
    largest = std::max(largest, multiply(units, multiply(rounds, access.wcet.ns())));
    if (rounds == 1) break;
    units = units_for(element, access, ceil_div(access.count, rounds - 1));
  }
  return largest;
}

Fraction ResizedLock::blocking() const {
  if (areas.size() < 2) return 0;
  // At most m - 1 requests are ahead of one that enters the queue of m.
  std::vector<Volume> ahead = areas;
  std::sort(ahead.begin(), ahead.end(), std::greater<>());
  ahead.resize(std::min(areas.size() - 1, static_cast<std::size_t>(cpus - 1)));
  const Volume sum = std::accumulate(ahead.begin(), ahead.end(), Volume{0}, add);
  return 2 * (to_fraction(longest) + quotient(sum, units - fewest + 1));
}

Fraction ResizedLock::published_blocking() const {
  const Volume ahead = multiply(multiply(longest.ns(), fewest), cpus - 1);
  return 2 * (to_fraction(longest) + quotient(ahead, units));
}

}  // namespace tactus::gang
