// GPU segments on a GPU: one launch of a fixed amount of work each.

#include "tactus/arbiter/client/channel_tier.hpp"
#include "tactus/arbiter/client/process_client.hpp"
#include "tactus/arbiter/tasks/segment_work.hpp"
#include "tactus/arbiter/tiers/gpu_work.hpp"
#include "tactus/arbiter/tiers/yield_tier.hpp"
#include "tactus/client.h"

namespace tactus::arbiter::tasks {
namespace {

class CudaSegments : public SegmentWork {
 public:
  CudaSegments(std::unique_ptr<tiers::GpuWork> work, const RunBlock& run)
      : work_(std::move(work)), yield_(*work_, client::process_connection().gate()), run_(run) {}

  std::optional<Error> run(std::int64_t length_ns) override {
    if (run_.mode == Mode::kArbiter) tactus_checkpoint();
    if (auto problem = work_->start(work_->items_for(Time::from_ns(length_ns)))) return problem;
    if (auto problem = see_it_through()) return problem;
    if (run_.mode == Mode::kArbiter && run_.tier == TierChoice::kYield) {
      if (auto problem = finish_what_yielded()) return problem;
    }
    return std::nullopt;
  }

  int begin_gated(int priority, int threshold) override {
    return tactus_segment_begin_stream(work_->stream(), priority, threshold);
  }
  std::optional<Error> hand_over(std::int64_t length_ns) override {
    return work_->start(work_->items_for(Time::from_ns(length_ns)));
  }

  Tier tier() override {
    if (run_.tier == TierChoice::kChannel) return client::channel_tier(channel_);
    if (run_.tier == TierChoice::kYield)
      return run_.mode == Mode::kBoost ? yield_.tier_of_batches() : yield_.tier();
    return client::process_connection().gate().tier();
  }

  Result<bool> correct() override { return work_->correct(); }
  std::uint32_t resumed() const override { return resumed_; }

  std::optional<Error> prepare() {
    if (arbitrated(run_.mode) && run_.tier == TierChoice::kChannel) {
      channel_ = client::find_channel_functions();
      if (channel_.stop == nullptr || channel_.resume == nullptr)
        return Error{"the tier channel needs libtactus_preload.so in the process"};
    }
    work_->set_shape(run_.gpu_rounds, Time::from_ns(run_.gpu_item_ns));
    // The first launch loads code and makes memory resident.
    if (auto problem = work_->start(work_->blocks())) return problem;
    return work_->wait();
  }

 private:
  /// Waits for what was launched. The control thread, too, sees that it has left the GPU, so that
  /// no client waits until this thread gets its core again.
  std::optional<Error> see_it_through() {
    if (run_.mode == Mode::kArbiter) {
      tactus_launched([](void* work) { return static_cast<tiers::GpuWork*>(work)->idle() ? 1 : 0; },
                      work_.get());
    }
    return work_->wait();
  }

  std::optional<Error> finish_what_yielded() {
    for (;;) {
      tactus_checkpoint();  // waits here for the next turn, because even this check uses the GPU
      const Result<bool> finished = work_->finished();
      if (!finished) return finished.error();
      if (*finished) return std::nullopt;
      ++resumed_;
      if (auto problem = work_->resume()) return problem;
      if (auto problem = see_it_through()) return problem;
    }
  }

  std::unique_ptr<tiers::GpuWork> work_;
  tiers::YieldTier yield_;
  const RunBlock& run_;
  client::ChannelFunctions channel_;
  std::uint32_t resumed_ = 0;
};

}  // namespace

Result<std::unique_ptr<SegmentWork>> open_cuda_work(const RunBlock& run) {
  auto work = tiers::GpuWork::open(
      run.device, run.busy_wait ? tiers::Waiting::kBusy : tiers::Waiting::kSuspend);
  if (!work) return work.error();
  auto segments = std::make_unique<CudaSegments>(std::move(*work), run);
  if (auto problem = segments->prepare()) return *problem;
  return std::unique_ptr<SegmentWork>(std::move(segments));
}

}  // namespace tactus::arbiter::tasks
