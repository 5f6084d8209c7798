#pragma once

#include "tactus/runtime/api.hpp"
#include "tactus/runtime/device.hpp"

namespace tactus::runtime {

/// What a workload binds, by the indices of a system. Both must outlive it.
class BoundWork {
 public:
  BoundWork(const System& system, const Workload* workload)
      : system_(system), workload_(workload) {}

  const UserGraph* graph(TaskIndex task, NodeIndex node) const {
    return workload_ == nullptr ? nullptr : workload_->graph(task_name(task), name(task, node));
  }
  const UserCopy* copy(TaskIndex task, NodeIndex node) const {
    return workload_ == nullptr ? nullptr : workload_->copy(task_name(task), name(task, node));
  }
  /// The function of the user that a piece of CPU work stands for, or null: synthetic work.
  const std::function<void()>* function(TaskIndex task, NodeIndex node, Phase phase) const {
    if (workload_ == nullptr) return nullptr;
    if (phase == Phase::kNode) return workload_->function(task_name(task), name(task, node));
    const NodeCallbacks* both = workload_->callbacks(task_name(task), name(task, node));
    if (both == nullptr) return nullptr;
    const std::function<void()>& one = phase == Phase::kBefore ? both->before : both->after;
    return one ? &one : nullptr;
  }

 private:
  const std::string& task_name(TaskIndex task) const { return system_.tasks.at(task).name; }
  const std::string& name(TaskIndex task, NodeIndex node) const {
    return system_.tasks.at(task).nodes.at(node).name;
  }

  const System& system_;
  const Workload* workload_;
};

}  // namespace tactus::runtime
