#pragma once

#include <array>
#include <string_view>

#include "tactus/base/random.hpp"
#include "tests/methods/gcaps/support.hpp"

namespace tactus::gcaps::boost::tests {

using gcaps::tests::find;
using gcaps::tests::ms;
using gcaps::tests::read;
using gcaps::tests::scaled;
using gcaps::tests::Sketch;
using gcaps::tests::sum;

inline constexpr std::array<std::string_view, 4> kMethods = {
    "gcaps.boost.suspend", "gcaps.boost.busy", "gcaps.boost.suspend.prio", "gcaps.boost.busy.prio"};

inline Verdict run(std::string_view method, const System& system) {
  return gcaps::tests::run(method, system, kSafe);
}

/// What a random system of `random_system` gives to the file.
struct Given {
  bool thresholds = false;  ///< for about half of the segments, at least one
  bool inverted = false;    ///< GPU priorities in any order, whatever the cores
  bool arbiter_core = false;
};

/// A random system that these methods accept: as those of the rest of the family (small, odd, near the
/// edge), with costs for the operations, derived or given.
System random_system(Random& random, Given given);

/// One of all kinds.
System random_system(Random& random);

}  // namespace tactus::gcaps::boost::tests
