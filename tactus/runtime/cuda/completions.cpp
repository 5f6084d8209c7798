#include "tactus/runtime/cuda/completions.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/runtime/cuda/driver.hpp"
#include "tactus/runtime/cuda/kernels.hpp"

namespace tactus::runtime::cuda {

void measure(gpu::GpuClock& clock) {
  const HostArray<std::uint64_t> answer(1);
  const Stream stream = make_stream();
  for (int i = 0; i < 100; ++i) {
    std::atomic_ref<std::uint64_t> word(*answer.data());
    word = 0;
    const std::int64_t asked = host::now_ns();
    launch_kernel(timer_kernel(), 1, 1, 0, stream.get(), answer.on_device());
    std::uint64_t gpu_time = 0;
    while ((gpu_time = word.load(std::memory_order_acquire)) == 0 &&
           host::now_ns() - asked < 1'000'000'000) {
    }
    const std::int64_t answered = host::now_ns();
    check(cudaStreamSynchronize(stream.get()), "tell the time");
    if (gpu_time != 0) clock.answered(asked, gpu_time, answered);
  }
}

std::int64_t measure_timer_step() {
  const Stream stream = make_stream();
  const DeviceArray<GapLog> log(1);
  auto copy = std::make_unique<GapLog>();
  copy->run_ns = 200'000;
  copy->least_ns = 1;
  check(cudaMemcpy(log.data(), copy.get(), sizeof(GapLog), cudaMemcpyDefault), "copy");
  launch_kernel(gap_kernel(), 1, 1, 0, stream.get(), log.data());
  check(cudaStreamSynchronize(stream.get()), "tell the time");
  check(cudaMemcpy(copy.get(), log.data(), sizeof(GapLog), cudaMemcpyDefault), "copy");
  unsigned long long step = 1'000'000;
  for (unsigned i = 0; i < copy->count; ++i) step = std::min(step, copy->end[i] - copy->begin[i]);
  return static_cast<std::int64_t>(step);
}

Lane::Lane(Stream stream, std::size_t blocks)
    : stream_(std::move(stream)), word_(1), records_(blocks), pinned_(1) {
  word_on_device_ = reinterpret_cast<CUdeviceptr>(word_.on_device());
}

void Lane::make_room(std::size_t blocks) {
  if (blocks > records_.items().size()) records_ = HostArray<BlockRecord>(blocks);
}

std::uint32_t Lane::mark() {
  ++sequence_;
  if (driver().write_value != nullptr) {
    check(driver().write_value(stream_.get(), word_on_device_, sequence_, 0), "mark its progress");
  }
  return sequence_;
}

bool Lane::through(std::uint32_t number) const {
  if (driver().write_value == nullptr) return cudaStreamQuery(stream_.get()) == cudaSuccess;
  const std::atomic_ref<std::uint32_t> word(*word_.data());
  return static_cast<std::int32_t>(word.load(std::memory_order_acquire) - number) >= 0;
}

void Lane::check_alive() const {
  const cudaError_t status = cudaStreamQuery(stream_.get());
  if (status != cudaErrorNotReady) check(status, "go on");
}

void Lane::finish(std::uint32_t number) const {
  constexpr std::int64_t kPatience = 100'000'000;  // then the driver is asked what is wrong
  const std::int64_t begin = host::now_ns();
  std::int64_t ask = begin + kPatience;
  while (!through(number)) {
    host::relax();
    const std::int64_t now = host::now_ns();
    if (now < ask) continue;
    ask = now + kPatience;
    check_alive();
    if (now - begin > kLost) throw CudaError("the GPU is lost: it does not answer");
  }
}

std::vector<double> measure_operations(std::int64_t idle_ns, int count) {
  const HostArray<std::uint64_t> answer(1);
  Lane lane(make_stream(), 1);
  std::vector<double> samples;
  for (int i = 0; i < count + 3; ++i) {
    for (const std::int64_t until = host::now_ns() + idle_ns; host::now_ns() < until;) {
      host::relax();
    }
    const std::int64_t begin = host::now_ns();
    launch_kernel(timer_kernel(), 1, 1, 0, lane.stream(), answer.on_device());
    const std::uint32_t number = lane.mark();
    lane.finish(number);
    if (i >= 3) samples.push_back(static_cast<double>(host::now_ns() - begin));
  }
  return samples;
}

}  // namespace tactus::runtime::cuda
