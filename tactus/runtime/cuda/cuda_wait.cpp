#include <fmt/format.h>

#include <algorithm>

#include "tactus/runtime/cuda/cuda_device.hpp"

#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"

namespace tactus::runtime::cuda {
namespace {

constexpr std::int64_t kHealthCheck = 5'000'000;
/// A sleeping thread wakes late, by up to some hundreds of microseconds if the CPU was asleep, too;
/// so it polls at the end.
constexpr std::int64_t kWakeUp = 1'000'000;
/// A GPU without work for this long is woken before work comes.
constexpr std::int64_t kNap = 200'000;

}  // namespace

Result<std::vector<Completion>> CudaDevice::wait(std::optional<Time> until) {
  return guarded<std::vector<Completion>>([&] {
    std::vector<Completion> done;
    for (;;) {
      if (collect(done)) return done;
      const std::int64_t now = host::now_ns();
      host::Doorbell* const bell = options_.doorbell;
      if ((until && now - origin_ >= until->ns()) || (bell != nullptr && bell->rung())) return done;
      const bool gpu_idle = in_flight_.empty() && replays_.idle();
      const bool idle = gpu_idle && host_.idle();
      if (idle && !until) return done;
      check_health(now);
      if (gpu_idle && (!idle || origin_ + until->ns() - now < kWakeUp)) keep_awake(now);
      if (host_.sleeps() && idle && origin_ + until->ns() - now > kWakeUp + kWakeUp / 2) {
        const std::int64_t wake = origin_ + until->ns() - kWakeUp;
        if (bell != nullptr) {
          bell->sleep_until_ns(wake);
        } else {
          host::sleep_until_ns(wake);
        }
      } else {
        host::relax();
      }
    }
  });
}

/// A GPU (and the driver's path to it) that has been idle for a while takes some 50 us longer to
/// start a kernel. So while something is about to come, it gets a kernel of one thread now and
/// then.
void CudaDevice::keep_awake(std::int64_t now) {
  if (now - last_use_ < kNap) return;
  last_use_ = now;
  launch_kernel(timer_kernel(), 1, 1, 0, wake_stream_.get(), wake_answer_.on_device());
}

bool CudaDevice::collect(std::vector<Completion>& done) {
  for (std::size_t i = 0; i < in_flight_.size();) {
    InFlight& flight = in_flight_[i];
    if (!flight.lane->through(flight.number)) {
      flight.evidence.read_on();  // there is nothing better to do
      ++i;
      continue;
    }
    last_use_ = host::now_ns();
    done.push_back(complete(flight, last_use_));
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  const std::size_t before = done.size();
  replays_.collect(origin_, done);
  if (done.size() > before) last_use_ = host::now_ns();
  host_.collect(origin_, done);
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
  flight.lane->busy = false;
  if (flight.graph != nullptr) flight.graph->running = false;
  flight.evidence.read_rest();
  if (const auto span = flight.evidence.span()) {
    clock_.correct(flight.before, span->start, span->end, seen);
  }
  completion.problem = flight.evidence.problem();
  completion.failed = !completion.problem.empty();
  completion.kernels = flight.evidence.take(clock_.offset() - origin_, on_clock(seen));
  bool first = true;
  for (const KernelSeen& kernel : completion.kernels) {
    if (kernel.pieces == 0) continue;  // a barrier
    completion.start = first ? kernel.start : std::min(completion.start, kernel.start);
    completion.end = first ? kernel.end : std::max(completion.end, kernel.end);
    first = false;
  }
  return completion;
}

void CudaDevice::check_health(std::int64_t now) {
  if (now < next_health_check_) return;
  next_health_check_ = now + kHealthCheck;
  if (auto problem = replays_.fault(now)) throw CudaError(problem->message);
  for (const InFlight& flight : in_flight_) {
    flight.lane->check_alive();
    if (now - flight.submitted > kLost + 2 * flight.work_ns) {
      throw CudaError(fmt::format("the GPU is lost: it did not answer for {} s",
                                  (now - flight.submitted) / 1'000'000'000));
    }
  }
}

}  // namespace tactus::runtime::cuda
