#pragma once

#include "tactus/arbiter/tasks/task_block.hpp"

namespace tactus::arbiter::tasks {

/// A lock between the processes of a run: a task that leaves gives it to the waiting task with the
/// highest CPU priority (MPCP). Its words are in the shared memory of the run and start at 0.
class PriorityLock {
 public:
  PriorityLock(RunBlock& run, TaskBlock& own) : run_(run), own_(own) {}
  /// Waiting suspends, in either mode of the tasks (as the analysis assumes).
  void lock();
  void unlock();

 private:
  RunBlock& run_;
  TaskBlock& own_;
};

}  // namespace tactus::arbiter::tasks
