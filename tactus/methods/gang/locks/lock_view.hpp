#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/methods/gang/dag.hpp"
#include "tactus/methods/gang/exact.hpp"
#include "tactus/model/reachability.hpp"

/// The locking baselines see a DAG as sequential CPU work: every kernel is one access to its
/// accelerator behind a lock.
namespace tactus::gang {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

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

/// How an accelerator is cut when at most `k` partitions are wanted.
struct Partition {
  std::int64_t count = 1, units = 0;  ///< k_q, and h units each
};
using Partitions = std::map<ElementIndex, Partition>;

/// The tasks, and the parts of them that do not depend on how the accelerators are divided.
struct LockModel {
  const System* system = nullptr;
  const std::vector<GangTask>* tasks = nullptr;
  ElementIndex cpu = 0;
  std::int64_t cpus = 0;  ///< m
  /// By accelerator that some DAG uses, the fewest units of a partition: the widest rigid gang and
  /// the widest first entry of a moldable one in the whole file; 1 where units have lanes.
  std::map<ElementIndex, std::int64_t> need;
  bool moldable = false;  ///< the view depends on the partitions
};
/// @pre `tasks` live as long as the model.
Result<LockModel, Refusal> make_lock_model(const System& system,
                                           const std::vector<GangTask>& tasks);

Partitions partitions_of(const LockModel& model, std::int64_t k);

/// As few units as any request of an accelerator can do with.
Partitions fewest_units(const LockModel& model);

/// The largest k that makes a difference.
std::int64_t most_partitions(const LockModel& model);

/// t(h): every moldable gang at its fastest entry within a partition.
Entries entries_within(const GangTask& task, const Partitions& partitions);

struct LockView {
  std::int64_t cpus = 0;  ///< m
  std::vector<LockDag> dags;
};

/// The DAGs with the entries within these partitions.
/// @throws LimitReached for DAGs with too many CPU nodes.
LockView make_lock_view(const LockModel& model, const Partitions& partitions);

/// One accelerator behind its k-exclusion lock.
struct Lock {
  std::int64_t partitions = 1;  ///< k_q
  std::int64_t units = 0;       ///< of one partition, h; of the SMLP the fewest of a request
  std::int64_t accesses = 0;    ///< A, in the whole file
  Fraction longest_access;      ///< max L
  Fraction blocking;            ///< b_q, of one request
  bool resizes = false;         ///< no partitions: a request gets what is idle
};
using Locks = std::map<ElementIndex, Lock>;

/// What the lock is.
enum class Protocol {
  kEither,    ///< the better of the two, as if one lock had both bounds
  kFifo,      ///< one queue for k servers
  kDonation,  ///< the global OMLP (k = 1), the R2DGLP (k > 1)
  kSmlp,      ///< no partitions, see smlp.hpp
};

/// How a request waits.
struct Waiting {
  Protocol protocol = Protocol::kEither;
  std::optional<Fraction> requests;  ///< so many longest accesses, instead of the bound
  bool published = false;            ///< of the SMLP: what the paper seems to have
};

/// @pre the view was made for these partitions.
Locks make_locks(const System& system, const LockView& view, const Partitions& partitions,
                 const Waiting& waiting);

/// How many accesses a request waits for, at most.
std::int64_t blocking_requests(std::int64_t accesses, std::int64_t partitions, std::int64_t cpus,
                               Protocol protocol);

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

/// The part of an access beyond the wcet of one gang: the volume of the others, and the processors
/// that share it.
struct AccessParts {
  Volume others, capacity;
};
AccessParts access_parts(const Element& element, const Access& access, std::int64_t units);

/// L: how long an access takes on `units` of its element: Theorem 2 of gang.swc for equal
/// independent gangs, in closed form.
Fraction access_length(const Element& element, const Access& access, std::int64_t units);
/// ... under this lock.
Fraction access_length(const Element& element, const Access& access, const Lock& lock);

}  // namespace tactus::gang
