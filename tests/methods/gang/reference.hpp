#pragma once

#include <set>
#include <vector>

#include "tests/methods/gang/support.hpp"

/// Slow versions of the analysis, written straight from the definitions on single nodes: blocks
/// are listed one by one, sets are std::set, every subset and every path is tried.
namespace tactus::gang::reference {

struct RefNode {
  std::size_t element = 0;
  std::int64_t width = 1;
  std::int64_t wcet = 0;
  std::set<std::size_t> previous = {}, next = {};
};

struct RefDag {
  std::vector<RefNode> nodes;              ///< in node order
  std::vector<std::int64_t> units, lanes;  ///< by element

  std::int64_t pool(std::size_t element) const {
    return lanes[element] > 1 ? lanes[element] : units[element];
  }
  std::int64_t pools(std::size_t element) const { return lanes[element] > 1 ? units[element] : 1; }
  std::int64_t processors(std::size_t element) const { return units[element] * lanes[element]; }
};

/// The DAG of a task, blocks listed one by one, in the order of Kahn's algorithm on them.
RefDag expand(const System& system, TaskIndex task);

/// Def. 5.
std::vector<std::set<std::size_t>> interferers(const RefDag& dag);

enum class Delta { kExact, kDp };
/// Delta by Eq. 3 over all subsets (at most about 20 interferers), or Eq. 4; Eq. 5 for SWC; of all
/// units together.
std::vector<std::int64_t> deltas(const RefDag& dag, Scheduler scheduler, Delta how);

/// Defs. 6-11 literally, h(p) capped where it does not exist: len(G) and a term an element.
std::vector<Fraction> theorem2(const RefDag& dag, const std::vector<std::int64_t>& delta);

/// Over all complete paths.
Fraction theorem1(const RefDag& dag, const std::vector<std::int64_t>& delta);

}  // namespace tactus::gang::reference
