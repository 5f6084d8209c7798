#pragma once

#include <random>

#include "tests/methods/gang/reference.hpp"

namespace tactus::gang::reference {

/// A resource of one SM beside its lanes (registers, slots), and what every node takes of it.
struct Resource {
  std::int64_t room = 0;
  std::vector<std::int64_t> taken;
};

struct Policy {
  Scheduler scheduler = Scheduler::kWorkConserving;
  bool preemptive = false;
  std::vector<std::size_t> order = {};   ///< nodes, the most urgent first
  std::vector<std::int64_t> times = {};  ///< actual execution times; empty: the WCETs
  std::vector<Resource> resources = {};  ///< of every SM of every clustered element
  /// Picks among the pools where a gang fits, when there are several; null: the emptiest.
  std::mt19937* placement = nullptr;
};

struct Interval {
  std::size_t node;
  std::int64_t start, end;
};

/// Runs one job of the DAG over completions. What ran when, in the order
/// of starts; the response time is the largest end.
std::vector<Interval> simulate(const RefDag& dag, const Policy& policy);
std::int64_t response(const RefDag& dag, const Policy& policy);

}  // namespace tactus::gang::reference
