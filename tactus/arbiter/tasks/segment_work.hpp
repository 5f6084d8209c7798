#pragma once

#include <memory>
#include <optional>

#include "tactus/arbiter/tasks/task_block.hpp"
#include "tactus/arbiter/tier.hpp"
#include "tactus/base/result.hpp"

namespace tactus::arbiter::tasks {

/// The GPU side of a task's segments.
class SegmentWork {
 public:
  virtual ~SegmentWork() = default;
  /// Does GPU work that takes `length_ns` on an idle machine; returns when it is complete. Passes
  /// the client's checkpoints where the tier needs them.
  virtual std::optional<Error> run(std::int64_t length_ns) = 0;
  /// In mode kBoost: begins a segment, whose work is held back from now on; a `tactus_result`.
  virtual int begin_gated(int priority, int threshold);
  /// Between that and `tactus_segment_end`, which waits for it: hands over such work.
  virtual std::optional<Error> hand_over(std::int64_t length_ns) = 0;
  /// The tier that holds this work back.
  virtual Tier tier() = 0;
  /// Was the outcome of the last `run` right? Asked between jobs.
  virtual Result<bool> correct() { return true; }
  /// How often work was launched again after it had yielded.
  virtual std::uint32_t resumed() const { return 0; }
};

/// The work of a task as `run` says. An `Error` when there is no such GPU, or no such tier here.
Result<std::unique_ptr<SegmentWork>> open_segment_work(const RunBlock& run);

/// What `open_segment_work` chooses from.
Result<std::unique_ptr<SegmentWork>> open_cuda_work(const RunBlock& run);
std::unique_ptr<SegmentWork> open_cpu_work(const RunBlock& run);
Result<std::unique_ptr<SegmentWork>> open_process_work(const RunBlock& run);

}  // namespace tactus::arbiter::tasks
