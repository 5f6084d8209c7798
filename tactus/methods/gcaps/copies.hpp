#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/model/system.hpp"

/// Copies between host and device, which nothing takes off: who waits for whose.
namespace tactus::gcaps {

struct TaskSet;

/// The copies of others that can be ahead of a copy, at most one of each task, on an engine that
/// makes one at a time on each of its units.
class CopyQueue {
 public:
  explicit CopyQueue(std::int64_t units) : units_(units) {}

  void add(Time copy);
  /// How long a copy waits at most. @param without one that is not ahead of it after all
  Time wait(std::optional<Time> without = {}) const;

 private:
  std::int64_t units_;
  std::vector<Time> copies_;  ///< the longest first
  Time total_;
};

/// What a GPU segment copies on one exclusive copy element.
struct CopyUse {
  std::size_t segment = 0;  ///< of its task
  std::size_t engine = 0;   ///< of the set
  std::int64_t count = 0;   ///< copies
  Time longest;             ///< of them
  Time longest_run;         ///< of those that follow each other without a kernel between them
};

/// Of all tasks of a set. Nothing is here if no task copies.
struct Copies {
  std::vector<std::int64_t> engines;  ///< the exclusive ones: their units
  std::vector<CopyUse> uses;
  std::vector<std::size_t> first;          ///< use of each task; one more than there are tasks
  std::vector<Time> kernels;               ///< runs of kernels between copies
  std::vector<std::size_t> first_kernels;  ///< of each task; one more than there are tasks

  bool any() const { return !first.empty(); }
  std::span<const CopyUse> of(std::size_t task) const {
    return std::span(uses).subspan(first[task], first[task + 1] - first[task]);
  }
  std::span<const Time> kernels_of(std::size_t task) const {
    return std::span(kernels).subspan(first_kernels[task],
                                      first_kernels[task + 1] - first_kernels[task]);
  }
  /// One empty queue for each engine.
  std::vector<CopyQueue> queues() const { return {engines.begin(), engines.end()}; }
  /// From now on this task can be ahead of others, on each engine with its longest of these.
  void join(std::size_t task, Time CopyUse::*length, std::vector<CopyQueue>& queues) const;
  void clear();
};

/// Fills `set.copies`, and what each task waits for copies of others (`GpuTask::copy_wait`).
void find_copies(const System& system, TaskSet& set);

/// What a job of task i waits, if `gpu_level` orders the real-time tasks.
Time copy_wait_at(const TaskSet& set, std::size_t i, std::span<const std::int64_t> gpu_level);

}  // namespace tactus::gcaps
