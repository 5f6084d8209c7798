#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/simulate/policy.hpp"
#include "tactus/simulate/rank_set.hpp"

namespace tactus::simulate {

/// What the GCAPS family's policies share: a job alternates between its core and the GPU, cores
/// run the most urgent ready task, GPU segments are bracketed by Begin and End.
///
/// @pre the system suits the methods of methods/gcaps (chains, cores, priorities, one GPU).
class SegmentPolicy : public Policy {
 public:
  void expand(const View& view, TaskIndex task, Job& job) override;
  /// A live job has one ready work, or one on its core and one beside it, launched before.
  void became_ready(const View& view, WorkId id) override;
  void finished(const View& view, WorkId id) override;
  /// No core is idle while a task is ready for it, the most urgent one has it, and the GPU has at
  /// most one owner.
  std::string_view audit(const View& view, const Choice& choice) const override;
  /// Some tasks get a GPU priority instead of the file's.
  void set_gpu_priorities(const std::vector<std::pair<TaskIndex, std::int64_t>>& priorities);

 protected:
  /// The steps of a job, kept in `Work::tag`.
  enum Step : std::uint32_t { kCpu, kBegin, kLaunch, kEnd, kExec, kCopy };

  struct Options {
    bool brackets = true;        ///< Begin and End around GPU segments
    bool begins_late = false;    ///< Begin comes after the launch code, not before it
    bool spins_in_exec = false;  ///< keeps its core while the GPU works
  };
  SegmentPolicy(const System& system, Options options);

  /// Runs before every task that is not boosted.
  virtual bool boosted(TaskIndex /*task*/) const { return false; }

  /// Larger is more urgent; real-time above best-effort, ties to the task listed first.
  std::size_t cpu_rank(TaskIndex task, bool boosted = false) const {
    return cpu_rank_[task] + (boosted ? cpu_rank_.size() : 0);
  }
  std::size_t gpu_rank(TaskIndex task) const { return gpu_rank_[task]; }
  TaskIndex task_of_cpu_rank(std::size_t rank) const { return by_cpu_rank_[rank]; }
  TaskIndex task_of_gpu_rank(std::size_t rank) const { return by_gpu_rank_[rank]; }
  bool best_effort(TaskIndex task) const { return system_.tasks[task].best_effort; }

  /// Does this task need its core now? After a change of what the answer depends on, call `changed`.
  virtual bool ready(TaskIndex task) const = 0;
  /// ... if nobody keeps it from what it is at?
  bool wants_core(TaskIndex task) const { return on_core_[task] || (in_gpu_work(task) && spins()); }
  virtual void changed(TaskIndex task);
  /// The most urgent ready task of the k-th core in use.
  std::optional<TaskIndex> most_urgent(std::size_t k) const {
    const std::size_t place = cores_[k].ready.largest();
    if (place == RankSet::kNone) return std::nullopt;
    return cores_[k].tasks[place];
  }

  bool at(TaskIndex task, Step step) const {
    const std::optional<Current>& current = (step >= kExec ? on_gpu_ : on_core_)[task];
    return current && current->step == step;
  }
  /// Its kernels or its copies: it needs its core only to spin.
  bool in_gpu_work(TaskIndex task) const { return on_gpu_[task].has_value(); }
  /// What it asks for. @pre asks(task)
  WorkId request(TaskIndex task) const { return on_core_[task]->id; }
  bool asks(TaskIndex task) const { return at(task, kBegin) || at(task, kEnd); }

  std::size_t task_count() const { return system_.tasks.size(); }
  std::size_t core_count() const { return cores_.size(); }
  std::size_t core_of(TaskIndex task) const { return core_of_[task]; }
  const Element& gpu() const { return system_.platform.elements[gpu_]; }
  bool spins() const { return options_.spins_in_exec; }

  /// Puts `task` on its core: its CPU work runs; for any other work it waits busily.
  void put_on_core(const View& view, TaskIndex task, Choice& choice) const;
  /// Runs the GPU work of `task`. @pre at(task, kExec).
  void put_on_gpu(TaskIndex task, Choice& choice) const { choice.run(on_gpu_[task]->id, 0); }
  /// Runs the copies, which nobody takes off: on an exclusive element first come first served, each to
  /// its end; on a shared one all.
  void choose_copies(const View& view, Choice& choice) const;
  void hold_core(TaskIndex task, trace::Activity activity, Choice& choice) const;
  /// The k-th core in use is taken by somebody else's work for `task`.
  void hold_core(std::size_t k, TaskIndex task, trace::Activity activity, Choice& choice) const {
    choice.hold({task, cpu_, cores_[k].unit, activity});
  }
  /// Which of the cores in use this one is, counted from 1 as in a file; nothing if it is not used.
  std::optional<std::size_t> core_in_use(std::int64_t core) const;
  /// The GPU is taken by `task`, which makes no progress on it.
  void hold_gpu(TaskIndex task, trace::Activity activity, Choice& choice) const {
    choice.hold({task, gpu_, 0, activity});
  }

 private:
  class Cutter;
  struct Core {
    std::uint32_t unit;
    std::vector<TaskIndex> tasks;  ///< the least urgent first
    RankSet ready;                 ///< by place in `tasks`
  };

  /// A copy that waits or runs.
  struct CopyAtHand {
    WorkId id;
    Time since;
  };
  void add_copies_of(const View& view, ElementIndex element, Choice& choice) const;
  std::string_view audit_copies(const View& view, const Choice& choice) const;

  const System& system_;
  Options options_;
  ElementIndex cpu_ = 0, gpu_ = 0;
  std::uint32_t whole_gpu_ = 1;
  std::vector<Core> cores_;
  std::vector<std::int64_t> gpu_priority_;        ///< by task
  std::vector<std::size_t> cpu_rank_, gpu_rank_;  ///< by task
  std::vector<TaskIndex> by_cpu_rank_, by_gpu_rank_;
  std::vector<std::size_t> core_of_, place_of_;  ///< by task; the place is that on its core
  std::vector<std::vector<NodeIndex>> chains_;   ///< by task
  struct Current {
    WorkId id;
    std::uint32_t step;
  };
  std::vector<std::optional<Current>> on_core_, on_gpu_;  ///< by task
  std::vector<CopyAtHand> copies_;                        ///< in the order in which they came
};

}  // namespace tactus::simulate
