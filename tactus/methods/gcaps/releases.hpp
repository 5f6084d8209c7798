#pragma once

#include <algorithm>
#include <span>

#include "tactus/methods/gcaps/gcaps_task_set.hpp"

namespace tactus::gcaps {

/// The jitters of tasks that others start: R_A - b_A of the one that starts a task, and its own
/// `jitter`. A bound needs them, and they need bounds: they begin with R_A = b_A and follow the
/// bounds upwards (docs/use/pipelines.md).
class Releases {
 public:
  explicit Releases(const TaskSet& source) : set_(source.with_same_segments()) { restart(); }

  /// With the jitters of now.
  const TaskSet& set() const { return set_; }

  void restart();
  /// Of the first so many tasks, which have bounds: how many keep them? Whoever waits for a task
  /// without a bound has none, nor has any task after it.
  std::size_t closed(std::size_t bounded) const;
  /// The jitters of those of the first so many tasks that others start, from the bounds of these.
  /// False: they are as before. @throws LimitReached
  bool follow(std::span<const Time> responses, std::size_t bounded);

 private:
  TaskSet set_;
  int rounds_ = 0;
};

}  // namespace tactus::gcaps
