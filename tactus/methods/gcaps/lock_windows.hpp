#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tactus/methods/gcaps/causes.hpp"
#include "tactus/methods/gcaps/family.hpp"
#include "tactus/methods/gcaps/window_search.hpp"

namespace tactus::gcaps {

/// Who is next when the lock becomes free.
enum class Queue { kPriority, kFifo };

/// Bounds under one lock by windows: jobs of others are counted in the windows in which they can do
/// harm, and not over the whole response only. docs/use/methods/gcaps.md, "Finer windows", derives
/// every equation; a job is cut into phases, 0 to eta, and sections, as in gcaps.boost.
class LockWindows {
 public:
  void begin(const Inquiry& inquiry, Queue queue);
  const GpuTask& task(std::size_t i) const { return set_->tasks[i]; }

  /// @pre asked of all tasks in their order; `responses` has those before i
  FixedPoint window_of(std::size_t i, std::span<const Time> responses);
  /// Another analysis has proved that task i ends, and so its sections, this long after its arrival.
  void ends_within(std::size_t i, Time response);
  /// @pre of the window that was looked at last
  std::vector<Term> terms_of(std::size_t i, Time window) const;

 private:
  /// Sections of others that can be in the way, the longest first.
  struct Piece {
    Time length;
    std::optional<Time> period;  ///< none: any number of jobs
    Time reach = {};             ///< they are in the way at most so long after their arrival
    std::size_t task = 0;
  };
  using Pieces = std::vector<Piece>;

  Time phase(const GpuTask& task, std::size_t k) const;
  Time boosted(const GpuTask& task) const;
  /// Of a task whose section ends at most so long after its arrival.
  Piece piece(std::size_t task, Time length, Time reach) const;

  void add_cpu_cause(std::size_t h, Time response);
  void add_source(std::size_t h);
  void find_rivals(std::size_t i);
  void find_wait(std::size_t i);
  void next_phase(std::size_t i, std::size_t k);
  static Time longest(const Pieces& pieces, std::size_t count, Time window);
  Time need(Time window) const;

  const TaskSet* set_ = nullptr;
  Mode mode_ = Mode::kSuspend;
  Queue queue_ = Queue::kPriority;
  WindowSearch search_;
  std::vector<std::size_t> first_;  ///< section of each real-time task
  std::vector<Time> completion_;    ///< F, by section
  std::vector<Time> phase_end_;     ///< Q, by phase: one more per task than it has sections
  // Of the task under analysis:
  Causes cpu_;                  ///< the tasks above it on its core
  Causes sources_;              ///< priority queue: the tasks above it that use the GPU
  std::vector<Pieces> ahead_;   ///< of each list one piece at most is before each of its requests
  std::vector<Pieces> boosts_;  ///< ... delays each of its phases
  Time wait_;                   ///< S: its requests are granted within, if they wait for sources
  Time own_;                    ///< what it needs itself, so far
  std::size_t phases_ = 0, sections_ = 0;  ///< how many of them
};

}  // namespace tactus::gcaps
