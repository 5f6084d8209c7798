#pragma once

#include <span>
#include <vector>

#include "tactus/methods/gcaps/gcaps.hpp"

namespace tactus::gcaps {

/// `GcapsTest::bound_of` without terms. What a task demands of others is computed once, as soon as it
/// is known how long its jobs take, and not again for every task that it delays.
class QuickTest {
 public:
  /// ceil((window + jitter) / period) * each, and how far the first jobs reach.
  struct Packed {
    Time period, jitter, each;
    std::int64_t first_jobs = 0;  ///< in every window, however short
    std::int64_t until = 0;       ///< up to this window, in ns, there are no more

    Packed() = default;
    explicit Packed(const Recurrence::Demand& demand);
  };
  /// Of those below on its core, of those below that use the GPU, too, of those on other cores as
  /// owner of the GPU, and as one that keeps an owner, or an update, off its core.
  struct Demands {
    Packed local, local_gpu, remote, kept_off, lock;
  };
  /// A demand that delays the task under test, with the jobs that were counted.
  struct Active {
    const Packed* demand;
    std::int64_t jobs, until;
  };
  struct Memory {
    std::vector<Demands> demands;  ///< by task
    std::vector<Active> active;
    Recurrence own{/*for_terms=*/false};  ///< what does not depend on the window
  };
  /// The least window of a search, what was counted in it, and how far beyond its end jobs count.
  struct State {
    Time closing, window, sum;
  };

  QuickTest(const TaskSet& set, const GcapsTest& test, Memory& memory)
      : set_(set), test_(test), memory_(memory) {
    memory.demands.resize(set.real_time);
  }

  /// From now on the jobs of task h take at most so long.
  void set_response(std::size_t h, Time response);

  /// The recurrence of task i, with nobody on other cores in its way.
  /// @param least no fixed point is below it
  State begin(std::size_t i, std::span<const std::int64_t> gpu_level, Time least);
  /// Puts those on other cores in its way, too. @pre what they demand is known
  void add_remote(std::size_t i, std::span<const std::int64_t> gpu_level, GcapsTest::Levels levels,
                  State& state);
  /// The fixed point, from the state on; `kLimit` after few steps, and then `GcapsTest` is to be asked.
  FixedPoint search(State& state, Time deadline);

 private:
  void add(const Packed& demand, State& state) {
    if (demand.each == Time()) return;
    memory_.active.push_back({&demand, demand.first_jobs, demand.until});
    state.sum += demand.first_jobs * demand.each;
  }

  const TaskSet& set_;
  const GcapsTest& test_;
  Memory& memory_;
};

}  // namespace tactus::gcaps
