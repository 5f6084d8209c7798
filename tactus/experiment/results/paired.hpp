#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/experiment/results/results.hpp"

/// Two curves on the same sets: which accepts what the other does not.
namespace tactus::experiment {

/// How the sets of one point (or of all) come out. Sets to which one of the two does not apply are
/// in no other count.
struct PairCounts {
  std::int64_t both = 0, only_a = 0, only_b = 0, neither = 0, not_applicable = 0;

  std::int64_t sets() const { return both + only_a + only_b + neither; }
  PairCounts& operator+=(const PairCounts& other);
  friend bool operator==(const PairCounts&, const PairCounts&) = default;
};

struct PairedPoint {
  std::string case_name, x;
  PairCounts counts;
};

struct Comparison {
  std::string experiment, a, b;
  std::vector<PairedPoint> points;
  PairCounts total;
};

/// Compares two curves of an experiment, each written `line[:variant][{case}]`. Without a case,
/// every case by itself. Two different cases can be compared where they have the same sets.
/// An error: there is no such curve, or the sets are not the same.
Result<Comparison> compare(const std::string& store, const Results& results, const std::string& a,
                           const std::string& b);

}  // namespace tactus::experiment
