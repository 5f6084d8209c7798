#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tactus/deploy/launch.hpp"
#include "tactus/deploy/machine.hpp"

/// Is a machine fit to keep what a plan promises?
namespace tactus::deploy {

enum class State { kFine, kNotFine, kUnknown };
std::string_view to_string(State state);

/// One thing that was looked at.
struct Check {
  std::string id;  ///< "throttling"
  State state = State::kUnknown;
  std::string found;     ///< what is there
  std::string why;       ///< why it matters
  std::string mend;      ///< how to make it fine; empty: there is nothing to do
  bool assumed = false;  ///< the plan counts on it
};

/// What a plan counts on. Without a plan nothing is counted on, and everything is shown.
struct Demand {
  std::string title;                 ///< "forklift, gcaps.busy (safe-arbiter)"
  bool gpu = false;                  ///< a GPU, with its driver
  bool alone = false;                ///< each process has the GPU by itself, without MPS
  bool channel = false;              ///< the tier channel
  bool realtime = false;             ///< SCHED_FIFO
  std::set<int> cpus;                ///< of tasks and of the arbiter
  std::optional<int> gpu_clock_mhz;  ///< at which the times were measured; none: the highest
};

/// @param launch what the plan starts
Demand demand_of(const Launch& launch, const Wish& wish);

std::vector<Check> checkup(const Machine& machine, const Demand& demand);

}  // namespace tactus::deploy
