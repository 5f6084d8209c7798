#pragma once

#include <string>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::arbiter::tasks {

/// Where the tasks of a file run on this machine.
struct Placement {
  std::vector<int>
      cpus;             ///< that this process may use; the first is the runner's and the arbiter's
  bool pinned = false;  ///< core k of the file is cpus[k]; else tasks run anywhere
  bool real_time = false;  ///< tasks get their priorities on the CPU
  /// Where control threads of the tasks should run, when no real-time arbiter tells them: CPUs that
  /// no task has. Empty: wherever the task is.
  std::vector<int> control_cpus;
  std::vector<std::string> notes;  ///< what differs from the assumptions of the analyses
};

/// Whose cores the tasks have: those of a plan are not to be changed.
enum class CoresOf { kFile, kPlan };

/// Finds a place for every core of the file. If real-time priorities are wanted but not
/// available, tasks that share a core would disturb each other in ways that no analysis covers:
/// then `system` is changed so that each task has its own core, if there are enough and no plan
/// fixes the cores, and bounds must be computed for that. @param others CPUs that no task may
/// have
Placement place_tasks(System& system, bool realtime, std::int64_t others, CoresOf cores);

}  // namespace tactus::arbiter::tasks
