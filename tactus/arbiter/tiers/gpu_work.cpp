#include "tactus/arbiter/tiers/gpu_work.hpp"

#include <algorithm>
#include <array>

#include "tactus/arbiter/tiers/work_kernel.ptx.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::tiers {
namespace {

constexpr unsigned kThreads = 1024;  ///< a block that fills an SM's schedulers; two fit
constexpr int kMultiprocessors = 16;
constexpr unsigned kSpin = 1, kBlockingWait = 4;  // flags of a context
constexpr unsigned kMapped = 2, kPortable = 1;    // flags of host memory
constexpr unsigned kNonBlockingStream = 1;        // flag of a stream
constexpr std::size_t kStateWords = 4;            // yield, next, checksum (two)
enum HostWord { kSeen = 0, kNo = 1, kYes = 2, kReadBack = 3 /* four words */, kHostWords = 7 };

}  // namespace

Result<std::unique_ptr<GpuWork>> GpuWork::open(int device, Waiting waiting) {
  const Result<const DriverApi*> api = driver_api();
  if (!api) return api.error();
  std::unique_ptr<GpuWork> work(new GpuWork(**api));
  if (auto problem = work->prepare(device, waiting)) return *problem;
  return work;
}

std::optional<Error> GpuWork::prepare(int device, Waiting waiting) {
  if (const auto code = api_.init(0)) return fail("cuInit", code);
  int handle = 0;
  if (const auto code = api_.device_get(&handle, device)) return fail("cuDeviceGet", code);
  std::array<char, 256> name{};
  if (api_.device_name(name.data(), static_cast<int>(name.size()) - 1, handle) == 0)
    name_ = name.data();
  int multiprocessors = 0;
  if (const auto code = api_.device_attribute(&multiprocessors, kMultiprocessors, handle))
    return fail("cuDeviceGetAttribute", code);
  blocks_ = static_cast<unsigned>(multiprocessors);
  const unsigned flags = waiting == Waiting::kBusy ? kSpin : kBlockingWait;
  if (const auto code = api_.context_flags(handle, flags))
    return fail("cuDevicePrimaryCtxSetFlags", code);
  if (const auto code = api_.context_retain(&context_, handle))
    return fail("cuDevicePrimaryCtxRetain", code);
  device_ = handle;
  if (auto problem = use_in_this_thread()) return problem;
  DriverApi::Module module = nullptr;
  if (const auto code = api_.module_load(&module, kWorkKernelPtx))
    return fail("cuModuleLoadData", code);
  if (const auto code = api_.module_function(&function_, module, "work"))
    return fail("cuModuleGetFunction", code);
  int least = 0, greatest = 0;
  if (const auto code = api_.priority_range(&least, &greatest))
    return fail("cuCtxGetStreamPriorityRange", code);
  if (const auto code = api_.stream_create(&work_stream_, kNonBlockingStream, least))
    return fail("cuStreamCreateWithPriority", code);
  if (const auto code = api_.stream_create(&urgent_stream_, kNonBlockingStream, greatest))
    return fail("cuStreamCreateWithPriority", code);
  if (const auto code = api_.memory_allocate(&state_, kStateWords * sizeof(std::uint32_t)))
    return fail("cuMemAlloc", code);
  void* host = nullptr;
  if (const auto code =
          api_.host_allocate(&host, kHostWords * sizeof(std::uint32_t), kMapped | kPortable))
    return fail("cuMemHostAlloc", code);
  host_ = static_cast<volatile std::uint32_t*>(host);
  std::fill(host_, host_ + kHostWords, 0u);
  host_[kYes] = 1;
  return set_yield(false);
}

std::optional<Error> GpuWork::use_in_this_thread() {
  if (const auto code = api_.context_set(context_)) return fail("cuCtxSetCurrent", code);
  return std::nullopt;
}

GpuWork::~GpuWork() {
  // A process that ends while its work is stopped must not wait for it: the driver cleans up.
  if (device_ < 0 || (work_stream_ != nullptr && running())) return;
  if (state_ != 0) api_.memory_free(state_);
  if (host_ != nullptr) api_.host_free(const_cast<std::uint32_t*>(host_));
  api_.context_release(device_);
}

std::optional<Error> GpuWork::calibrate(Time item) {
  rounds_ = 256;
  const auto timed = [&](std::uint32_t per_block) -> Result<Time> {
    Time best = Time::max();
    for (int repeat = 0; repeat < 5; ++repeat) {
      const std::int64_t start_at = host::now_ns();
      if (auto problem = start(per_block * blocks_)) return *problem;
      if (auto problem = wait()) return *problem;
      best = std::min(best, Time::from_ns(host::now_ns() - start_at));
    }
    return best;
  };
  // The difference of two lengths leaves out the cost of the launch. The first loop warms up.
  for (int pass = 0; pass < 3; ++pass) {
    const auto few = timed(50), many = timed(250);
    if (!few) return few.error();
    if (!many) return many.error();
    const std::int64_t of_item = std::max<std::int64_t>(1, (many->ns() - few->ns()) / 200);
    item_ = Time::from_ns(of_item);
    if (pass == 2) break;
    rounds_ = static_cast<unsigned>(
        std::clamp<std::int64_t>(rounds_ * item.ns() / of_item, 1, 1'000'000));
  }
  return std::nullopt;
}

std::uint32_t GpuWork::items_for(Time length) const {
  const std::int64_t rows = item_ > Time() ? length.ns() / item_.ns() : 1;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(rows, 1, INT32_MAX / blocks_) *
                                    blocks_);
}

std::optional<Error> GpuWork::start(std::uint32_t items, bool report_progress) {
  items_ = items;
  report_progress_ = report_progress;
  host_[kSeen] = 0;
  // All but the yield word, which is another's.
  constexpr std::size_t kYieldWords = 1;
  if (const auto code = api_.fill_words(state_ + kYieldWords * sizeof(std::uint32_t), 0,
                                        kStateWords - kYieldWords, work_stream_))
    return fail("cuMemsetD32Async", code);
  return launch();
}

std::optional<Error> GpuWork::resume() { return launch(); }

std::optional<Error> GpuWork::launch() {
  std::uint64_t state = state_;
  std::uint64_t seen = report_progress_ ? reinterpret_cast<std::uint64_t>(&host_[kSeen]) : 0;
  std::array<void*, 4> parameters = {&state, &seen, &items_, &rounds_};
  const unsigned grid = std::min(blocks_, std::max(1u, items_));
  if (const auto code = api_.launch(function_, grid, 1, 1, kThreads, 1, 1, 0, work_stream_,
                                    parameters.data(), nullptr))
    return fail("cuLaunchKernel", code);
  return std::nullopt;
}

std::optional<Error> GpuWork::wait() {
  if (const auto code = api_.stream_wait(work_stream_)) return fail("cuStreamSynchronize", code);
  return std::nullopt;
}

bool GpuWork::running() const { return api_.stream_query(work_stream_) == kNotReady; }

bool GpuWork::idle() { return !use_in_this_thread() && api_.stream_query(work_stream_) == 0; }

std::optional<Error> GpuWork::set_yield(bool yield) {
  // With a copy into device memory: blocks that poll a word of the HOST are very slow.
  auto* const word = const_cast<std::uint32_t*>(&host_[yield ? kYes : kNo]);
  if (const auto code = api_.copy_to_device(state_, word, sizeof *word, urgent_stream_))
    return fail("cuMemcpyHtoDAsync", code);
  if (const auto code = api_.stream_wait(urgent_stream_)) return fail("cuStreamSynchronize", code);
  return std::nullopt;
}

Result<bool> GpuWork::finished() {
  auto* const words = const_cast<std::uint32_t*>(&host_[kReadBack]);
  if (const auto code =
          api_.copy_to_host(words, state_, kStateWords * sizeof(std::uint32_t), work_stream_))
    return *fail("cuMemcpyDtoHAsync", code);
  if (auto problem = wait()) return *problem;
  return host_[kReadBack + 1] >= items_;
}

Result<bool> GpuWork::correct() {
  const Result<bool> all_drawn = finished();
  if (!all_drawn || !*all_drawn) return all_drawn;
  const std::uint64_t sum = host_[kReadBack + 2] | (std::uint64_t{host_[kReadBack + 3]} << 32);
  return sum == expected_checksum(items_, kThreads, rounds_);
}

std::uint32_t GpuWork::progress() const { return host_[kSeen]; }

}  // namespace tactus::arbiter::tiers
