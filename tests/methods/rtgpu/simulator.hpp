#pragma once

#include <functional>
#include <vector>

#include "tactus/base/random.hpp"
#include "tests/methods/rtgpu/reference.hpp"

namespace tactus::rtgpu::testing {

using reference::Ns;
using reference::Part;

/// One task of a simulation; the more urgent come first.
struct SimulatedTask {
  std::vector<Part> parts;
  Ns period = 0;
  bool best_effort = false;  ///< only its copies matter
};

/// What the jobs do; anything may be scripted.
struct Behaviour {
  std::function<Ns(std::size_t task, int job, Ns earliest)> release;  ///< >= earliest
  std::function<Ns(std::size_t task, int job, std::size_t part)> length;
};

/// Phases, sporadic delays and lengths at random: lower bounds, upper bounds, or between.
Behaviour random_behaviour(const std::vector<SimulatedTask>& tasks, Random& random);

struct Observed {
  std::vector<Ns> responses;                    ///< the longest of each task
  std::vector<std::vector<Ns>> part_responses;  ///< the longest of each part, from its request
  bool missed = false;                          ///< a job was unfinished at its next release
};

enum class Waiting { kSuspend, kBusy };

/// Runs the tasks until `horizon`. Cores are preemptive, everything
/// else that is shared is not; the order of what happens at one instant, and whether the bus
/// decides after each event or after all of them, is random. With busy waiting the most urgent job
/// owns the one core also while it waits, and issues its next operation only then.
Observed simulate(const std::vector<SimulatedTask>& tasks, const Behaviour& behaviour,
                  Waiting waiting, Ns horizon, Random& random);

}  // namespace tactus::rtgpu::testing
