#include <fmt/format.h>

#include <algorithm>

#include "tactus/runtime/cuda/cuda_device.hpp"

namespace tactus::runtime::cuda {
namespace {

/// Nothing asked of a GPU takes that long; then it is lost.
constexpr std::int64_t kLost = 30'000'000'000;
constexpr std::int64_t kHealthCheck = 5'000'000;
/// A sleeping thread wakes late, by up to some hundreds of microseconds where the CPU had gone to
/// sleep too; the rest is spun.
constexpr std::int64_t kWakeUp = 1'000'000;

}  // namespace

Result<std::vector<Completion>> CudaDevice::wait(std::optional<Time> until) {
  return guarded<std::vector<Completion>>([&] {
    std::vector<Completion> done;
    for (;;) {
      if (collect(done)) return done;
      const std::int64_t now = gpu::monotonic_ns();
      if (until && now - origin_ >= until->ns()) return done;
      const bool idle = in_flight_.empty() && on_cpu_.empty();
      if (idle && !until) return done;
      check_health(now);
      if (idle && origin_ + until->ns() - now > kWakeUp + kWakeUp / 2) {
        gpu::sleep_until_ns(origin_ + until->ns() - kWakeUp);
      } else {
        gpu::pause_briefly();
      }
    }
  });
}

bool CudaDevice::collect(std::vector<Completion>& done) {
  for (std::size_t i = 0; i < in_flight_.size();) {
    InFlight& flight = in_flight_[i];
    if (!flight.lane->through(flight.number)) {
      ++i;
      continue;
    }
    done.push_back(complete(flight, gpu::monotonic_ns()));
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (workers_ && workers_->anything_done()) {
    for (const gpu::CpuDone& ended : workers_->take_done()) {
      Completion completion;
      completion.op = ended.op;
      completion.submitted = on_clock(on_cpu_[ended.op]);
      completion.start = on_clock(ended.start);
      completion.end = on_clock(ended.end);
      completion.problem = ended.problem;
      completion.failed = !ended.problem.empty();
      on_cpu_.erase(ended.op);
      done.push_back(std::move(completion));
    }
  }
  std::stable_sort(done.begin(), done.end(),
                   [](const Completion& a, const Completion& b) { return a.end < b.end; });
  return !done.empty();
}

Completion CudaDevice::complete(InFlight& flight, std::int64_t seen) {
  Completion completion;
  completion.op = flight.op;
  completion.submitted = on_clock(flight.submitted);
  if (flight.engine != nullptr) {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, flight.timer.first.get(), flight.timer.second.get()),
          "time a copy");
    completion.end = on_clock(seen);
    completion.start =
        std::max(on_clock(flight.before), on_clock(seen - static_cast<std::int64_t>(ms * 1e6F)));
    flight.engine->idle_timers.push_back(std::move(flight.timer));
    return completion;
  }
  if (flight.graph == nullptr) {
    flight.lane->busy = false;
    add_kernel(completion, flight.evidence, flight, seen);
  } else {
    flight.graph->running = false;
    for (const Evidence& node : flight.graph->nodes) add_kernel(completion, node, flight, seen);
  }
  bool first = true;
  for (const KernelSeen& kernel : completion.kernels) {
    if (kernel.pieces == 0) continue;  // a barrier
    completion.start = first ? kernel.start : std::min(completion.start, kernel.start);
    completion.end = first ? kernel.end : std::max(completion.end, kernel.end);
    first = false;
  }
  return completion;
}

void CudaDevice::add_kernel(Completion& completion, const Evidence& asked, const InFlight& flight,
                            std::int64_t seen_at) {
  KernelSeen& kernel = completion.kernels.emplace_back();
  if (asked.blocks == 0) return;
  const auto records = flight.lane->records(asked.first, asked.blocks);
  const Seen seen = read_evidence(records);
  if (seen.admitted > 0) clock_.correct(flight.before, seen.start, seen.end, seen_at);
  kernel.start = on_clock(seen.admitted > 0 ? clock_.to_host(seen.start) : seen_at);
  kernel.end = on_clock(seen.admitted > 0 ? clock_.to_host(seen.end) : seen_at);
  for (const BlockRecord& record : records) {
    if (record.done == 0) continue;
    kernel.blocks.push_back({static_cast<std::int32_t>(record.sm),
                             on_clock(clock_.to_host(record.start)),
                             on_clock(clock_.to_host(record.end))});
  }
  kernel.pieces = asked.expected;
  kernel.pieces_done = seen.done;
  if (completion.failed) return;
  completion.problem = problem_of(asked, seen);
  completion.failed = !completion.problem.empty();
}

void CudaDevice::check_health(std::int64_t now) {
  if (now < next_health_check_) return;
  next_health_check_ = now + kHealthCheck;
  for (const InFlight& flight : in_flight_) {
    flight.lane->check_alive();
    if (now - flight.submitted > kLost) {
      throw CudaError(fmt::format("the GPU is lost: it did not answer for {} s",
                                  (now - flight.submitted) / 1'000'000'000));
    }
  }
}

}  // namespace tactus::runtime::cuda
