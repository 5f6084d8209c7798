#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/exchange/recording.hpp"
#include "tactus/model/graph.hpp"

namespace tactus::exchange {

/// Elements of a recording: the SMs of its devices have even numbers, their copy engines odd ones.
constexpr std::uint32_t sms_of(std::uint32_t device) { return 2 * device; }
constexpr std::uint32_t copy_engine_of(std::uint32_t device) { return 2 * device + 1; }
inline constexpr std::uint32_t kCpuElement = static_cast<std::uint32_t>(-1);  ///< named CPU work
constexpr bool is_copy_engine(std::uint32_t element) {
  return element != kCpuElement && element % 2 == 1;
}

enum class StepKind : std::uint8_t { kWork, kSync, kEnd };

/// What all jobs of a task do, one step after the other in the order of the CPU calls: put a piece of
/// work on the GPU, wait for work, or end. A step that only some jobs do is there, too.
struct Step {
  StepKind kind = StepKind::kWork;
  std::uint32_t lane = 0;        ///< device and stream; works of one lane follow each other
  std::uint32_t element = 0;     ///< where its work runs
  std::uint32_t name = 0;        ///< of the kernel or the call
  std::uint32_t annotation = 0;  ///< innermost name around the call
  std::int64_t blocks = 0, threads = 0, registers = 0, shared_memory = 0;

  bool on_cpu() const { return kind == StepKind::kWork && element == kCpuElement; }
  bool on_gpu() const { return kind == StepKind::kWork && element != kCpuElement; }
  /// Do two jobs do the same here?
  friend bool operator==(const Step&, const Step&) = default;
};

/// A step that must come after another one: both works, or a work and the sync that waits for it.
struct Wait {
  NodeIndex before = 0, after = 0;
  bool guess = false;  ///< inferred; a job in which they overlap refutes it

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison with 0 for a pointer
  friend auto operator<=>(const Wait&, const Wait&) = default;
};

/// The steps of a task; every wait goes forward, so that there is no cycle.
struct Shape {
  std::vector<Step> steps;
  std::vector<Wait> waits;
};

/// How long a step took in one job, in ns.
struct StepTimes {
  NodeIndex place = 0;     ///< in the shape
  std::int64_t gap = 0;    ///< CPU work before the call
  std::int64_t call = 0;   ///< CPU side of the call; of a sync: after the awaited work had ended
  std::int64_t lasts = 0;  ///< on the GPU
  std::int64_t start = 0, end = 0;  ///< of its work; of a sync: both are the end of the call
};

struct Job {
  ThreadId by;
  std::int64_t start = 0, end = 0;
  std::vector<StepTimes> times;
};

/// What one job did, before it is put over the others. Places count its own steps.
struct JobSteps {
  std::vector<Step> steps;
  std::vector<Wait> waits;
  Job job;
};

/// A task as it was recorded.
struct RecordedTask {
  std::string name;
  Shape shape;
  std::vector<Job> jobs;
  std::size_t different_jobs = 0;  ///< whose steps are not those of the first job
};

/// Puts jobs over each other: steps that are the same, in the same order, become one. No job loses a
/// step. Waits that a job refutes are dropped.
RecordedTask overlay(std::string name, std::vector<JobSteps> jobs);

}  // namespace tactus::exchange
