#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "tactus/methods/gang/dag.hpp"
#include "tactus/methods/gang/exact.hpp"
#include "tactus/model/reachability.hpp"

/// The locking baselines see a DAG as sequential CPU work: every kernel is one access to its
/// accelerator behind a lock.
namespace tactus::gang {

/// A kernel: `count` equal gangs with the same neighbours.
struct Access {
  ElementIndex element = 0;
  std::int64_t width = 1;
  Time wcet;
  std::int64_t count = 1;
};

/// A DAG of sequential nodes, in an order that follows the edges.
struct LockDag {
  struct LockNode {
    Time wcet;                     ///< of a CPU node
    std::optional<Access> access;  ///< of any other
  };
  TaskIndex task = 0;
  Time period, deadline;
  std::vector<LockNode> nodes;
  Graph graph;
};

struct LockView {
  const Element* cpu = nullptr;
  std::int64_t cpus = 0;  ///< m
  std::vector<LockDag> dags;
};

/// @throws LimitReached for DAGs with too many CPU nodes.
std::variant<LockView, Refusal> make_lock_view(const System& system,
                                               const std::vector<GangDag>& dags);

/// One accelerator behind its k-exclusion lock.
struct Lock {
  std::int64_t partitions = 1;  ///< k_q
  std::int64_t units = 0;       ///< of one partition, h
  std::int64_t accesses = 0;    ///< A, in the whole file
  Fraction longest_access;      ///< max L
  Fraction blocking;            ///< b_q, of one request
};
using Locks = std::map<ElementIndex, Lock>;

/// The locks with at most `k` partitions each. `requests`: so many longest accesses of blocking,
/// instead of the bound.
Locks make_locks(const System& system, const LockView& view, std::int64_t k,
                 const std::optional<Fraction>& requests);

/// How an accelerator is cut when at most `k` partitions are wanted.
struct Partition {
  std::int64_t count = 1, units = 0;  ///< k_q, and h units each
};
using Partitions = std::map<ElementIndex, Partition>;
Partitions partitions_of(const System& system, const LockView& view, std::int64_t k);

/// How many accesses a request waits for, at most: FIFO among k servers, or the bound of the global
/// OMLP (k = 1) and of its k-exclusion kind (k > 1).
std::int64_t blocking_requests(std::int64_t accesses, std::int64_t partitions, std::int64_t cpus);

/// The largest k that makes a difference.
std::int64_t most_partitions(const System& system, const LockView& view);

/// A DAG with the accesses' lengths and blocking in its WCETs, as whole numbers of 1 / `scale` ns:
/// the bounds add and compare them often, and whole numbers do that faster than fractions.
struct InflatedDag {
  const LockDag* source = nullptr;
  mpz_class scale;
  std::vector<mpz_class> wcet;
  mpz_class volume;

  Fraction to_time(const mpz_class& scaled) const {
    Fraction time(scaled, scale);
    time.canonicalize();
    return time;
  }
};
InflatedDag inflate(const System& system, const LockDag& dag, const Locks& locks);

/// Of the length of an access beyond the wcet of one gang: the volume of the others, and the
/// processors that share it.
struct AccessParts {
  Volume others, capacity;
};
AccessParts access_parts(const Element& element, const Access& access, std::int64_t units);

/// L: how long an access takes on `units` of its element: Theorem 2 of gang.swc for equal
/// independent gangs, in closed form.
Fraction access_length(const Element& element, const Access& access, std::int64_t units);

}  // namespace tactus::gang
