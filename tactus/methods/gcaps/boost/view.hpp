#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/methods/gcaps/gcaps_task_set.hpp"
#include "tactus/methods/obstacles.hpp"

/// The tasks as these analyses see them: phases on the CPU, segments on the GPU.
namespace tactus::gcaps::boost {

/// What one operation of the arbiter takes at most, from the decision to its effect.
struct Costs {
  Time off, on, start;

  /// A lower segment was just being put on, and must be taken off.
  Time low() const { return off + std::max(on, start); }
  /// A segment is taken off for another one, and put back on after it.
  Time pair() const { return off + on; }
};

/// The costs of the file, or what its `runlist_update` and `context_switch` say about them.
Costs costs_of(const Element& gpu);

/// A GPU segment of a real-time task.
struct Section {
  std::size_t task = 0;  ///< place in the set
  Time exec;             ///< e
  Time length;           ///< st + e
  Time demand;           ///< g: the length, and not zero: an empty segment waits its turn, too
  std::optional<std::int64_t> threshold = {};  ///< of the file
};

struct View {
  const TaskSet* set = nullptr;
  Costs costs;
  bool best_effort_gpu = false;   ///< some best-effort task uses the GPU
  bool thresholds_given = false;  ///< by the file
  /// Suspend: a task is only held to the CPU time of a whole job, within its bound; it may take that in
  /// any pieces, and this much more until it is noticed.
  std::optional<Time> cpu_budget_notice;
  std::vector<Section> sections;  ///< of all real-time tasks, in the order of the set
  std::vector<std::size_t>
      first;                 ///< section of each real-time task; one more than there are tasks
  std::vector<Time> phases;  ///< P of all tasks: one more per task than it has sections
  std::vector<bool> on_arbiter_core;   ///< by task
  std::vector<std::size_t> gpu_tasks;  ///< real-time users of the GPU, in the order of the set

  const GpuTask& task(std::size_t i) const { return set->tasks[i]; }
  std::size_t eta(std::size_t i) const { return first[i + 1] - first[i]; }
  /// P_0 .. P_eta.
  std::span<const Time> phases_of(std::size_t i) const {
    return std::span(phases).subspan(first[i] + i, eta(i) + 1);
  }
  /// Does a job have a phase after its last GPU segment, even an empty one?
  bool has_last_phase(std::size_t i) const { return eta(i) == 0 || task(i).ends_with_cpu_node; }
};

/// Whose thresholds count: those of the file, or what is chosen now, whatever the file says.
enum class Thresholds { kOfFile, kChosenNow };

/// @pre `family` refuses nothing. What is wrong with thresholds goes to `obstacles`.
View make_view(const System& system, const FamilyView& family, Obstacles& obstacles,
               Thresholds whose = Thresholds::kOfFile);

}  // namespace tactus::gcaps::boost
