// GPU segments on the CPU: slices of spinning with a checkpoint between them, held back by the
// gate.

#include "tactus/arbiter/client/process_client.hpp"
#include "tactus/arbiter/tasks/cpu_work.hpp"
#include "tactus/arbiter/tasks/segment_work.hpp"
#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/client.h"

namespace tactus::arbiter::tasks {
namespace {

constexpr std::int64_t kSliceNs = kCpuSlice.ns();

class CpuSegments : public SegmentWork {
 public:
  explicit CpuSegments(const RunBlock& run) : run_(run) {}

  std::optional<Error> run(std::int64_t length_ns) override {
    for (std::int64_t done = 0; done < length_ns; done += kSliceNs) {
      if (run_.mode == Mode::kArbiter) tactus_checkpoint();
      const std::int64_t slice = length_ns - done < kSliceNs ? length_ns - done : kSliceNs;
      cpu_work(static_cast<std::uint64_t>(static_cast<double>(slice) * run_.cpu_steps_per_ns));
    }
    return std::nullopt;
  }
  /// This thread is the device, too: it waits for the turn itself.
  std::optional<Error> hand_over(std::int64_t length_ns) override {
    tactus_segment_submit();
    return run(length_ns);
  }
  Tier tier() override { return client::process_connection().gate().tier(); }

 private:
  const RunBlock& run_;
};

}  // namespace

int SegmentWork::begin_gated(int priority, int threshold) {
  return tactus_segment_begin_host(priority, threshold);
}

std::unique_ptr<SegmentWork> open_cpu_work(const RunBlock& run) {
  return std::make_unique<CpuSegments>(run);
}

Result<std::unique_ptr<SegmentWork>> open_segment_work(const RunBlock& run) {
  if (run.backend == Backend::kCuda) return open_cuda_work(run);
  if (run.tier == TierChoice::kProcess) return open_process_work(run);
  if (run.mode == Mode::kBoost && run.tier != TierChoice::kHold)
    return Error{"work on the CPU is held back by the tiers hold and process only, under boost"};
  if (run.mode != Mode::kBoost && run.tier != TierChoice::kGate)
    return Error{"work on the CPU can be held back by the tiers gate and process only"};
  return open_cpu_work(run);
}

}  // namespace tactus::arbiter::tasks
