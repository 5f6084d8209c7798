// Do copies stop when the channels of their copy engines are disabled, too, and are their results right?
// An experiment: the tier `channel` switches compute channels only, unless TACTUS_CHANNEL_COPIES=try.
//
//     LD_PRELOAD=libtactus_preload.so TACTUS_CHANNEL_COPIES=try copy_channels [SWITCHES [MIB]]
//
// One thread copies MIB (4) to the device and back, again and again, and compares every byte; the other takes
// the process off the GPU and puts it back, SWITCHES (10000) times, anywhere in a copy. Exit code 0: copies stopped every time, came
// back every time, and every byte was right; 1: not so; 3: there is no GPU, or the library is not loaded.

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "tactus/arbiter/tiers/driver_api.hpp"
#include "tactus/host/clock.hpp"

namespace {

using tactus::arbiter::tiers::DriverApi;
using tactus::arbiter::tiers::kNotReady;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kQuietNs = 3 * kMs;        ///< how long nothing may be done while off
constexpr std::int64_t kPatienceNs = 1000 * kMs;  ///< until work must go on again
constexpr std::size_t kSamples = 1024;            ///< words at which a copy under way is seen

void fail(const char* why) {
  std::fprintf(stderr, "copy_channels: %s\n", why);
  std::_Exit(3);
}
void check(int code, const char* what) {
  if (code != 0) fail(what);
}
void pause(std::int64_t ns) { tactus::host::sleep_until_ns(tactus::host::now_ns() + ns); }

/// Copies to the device and back, and what became of them.
class Copier {
 public:
  Copier(const DriverApi& api, std::size_t bytes) : api_(api), bytes_(bytes) {
    void* context = nullptr;
    int device = 0;
    check(api.init(0), "CUDA does not start");
    check(api.device_get(&device, 0), "there is no GPU");
    check(api.context_retain(&context, device), "no context");
    context_ = context;
    check(api.context_set(context), "no context");
    check(api.stream_create(&stream_, 1, 0), "no stream");
    check(api.host_allocate(reinterpret_cast<void**>(&in_), bytes, 0), "no pinned memory");
    check(api.host_allocate(reinterpret_cast<void**>(&out_), bytes, 0), "no pinned memory");
    check(api.memory_allocate(&memory_, bytes), "no memory");
  }

  /// Until `end`. No call here waits inside the driver, so that being off does not hold this thread.
  void run() {
    check(api_.context_set(context_), "no context");
    for (std::uint64_t round = 1; !end; ++round) {
      for (std::size_t i = 0; i < bytes_ / 8; ++i) in_[i] = (round + i) * 0x9e3779b97f4a7c15U | 1;
      std::memset(out_, 0, bytes_);
      check(api_.copy_to_device(memory_, in_, bytes_, stream_), "a copy failed");
      check(api_.copy_to_host(out_, memory_, bytes_, stream_), "a copy failed");
      copying = true;
      int code = kNotReady;
      while ((code = api_.stream_query(stream_)) == kNotReady) std::this_thread::yield();
      check(code, "a copy failed");
      copying = false;
      ++rounds;
      if (std::memcmp(in_, out_, bytes_) != 0) ++wrong;
    }
  }

  /// Changes while copies are made; one to the host is seen where it has got to.
  long progress() const {
    long seen = rounds * static_cast<long>(kSamples + 1);
    if (!copying) return seen;
    const std::size_t step = bytes_ / 8 / kSamples;
    for (std::size_t i = 0; i < kSamples; ++i) {
      seen += __atomic_load_n(&out_[i * step], __ATOMIC_RELAXED) != 0 ? 1 : 0;
    }
    return seen;
  }

  std::atomic<bool> end = false, copying = false;
  std::atomic<long> rounds = 0, wrong = 0;

 private:
  const DriverApi& api_;
  std::size_t bytes_;
  void* context_ = nullptr;
  void* stream_ = nullptr;
  std::uint64_t *in_ = nullptr, *out_ = nullptr;
  DriverApi::Address memory_ = 0;
};

void print(const char* what, std::vector<std::int64_t> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    const auto place = static_cast<std::size_t>(share * static_cast<double>(times.size() - 1));
    return static_cast<double>(times[place]) / 1e6;
  };
  std::printf("%s [ms]: n %zu, p50 %.3f, p99 %.3f, max %.3f\n", what, times.size(), at(0.5),
              at(0.99), at(1));
}

using Switch = int (*)();
Switch find(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) fail("libtactus_preload.so is not loaded");
  return reinterpret_cast<Switch>(found);
}

}  // namespace

int main(int argc, char** argv) {
  const long switches = argc > 1 ? std::atol(argv[1]) : 10'000;
  const auto bytes = static_cast<std::size_t>(argc > 2 ? std::atol(argv[2]) : 4) << 20;
  if (switches < 1 || bytes == 0) {
    return std::fprintf(stderr, "usage: copy_channels [SWITCHES [MIB]]\n"), 2;
  }
  const Switch stop = find("tactus_channel_stop"), resume = find("tactus_channel_resume");
  const auto api = tactus::arbiter::tiers::driver_api();
  if (!api) fail(api.error().message.c_str());
  Copier copier(**api, bytes);
  std::thread worker([&] { copier.run(); });
  pause(500 * kMs);
  std::vector<std::int64_t> off, on;
  long went_on = 0, stuck = 0, channels = 0;
  std::uint64_t draw = 1;
  for (long i = 0; i < switches; ++i) {
    draw = draw * 6364136223846793005U + 1442695040888963407U;
    pause(static_cast<std::int64_t>(draw >> 33) % (4 * kMs));  // anywhere in a copy
    const std::int64_t begin = tactus::host::now_ns();
    channels = stop();
    off.push_back(tactus::host::now_ns() - begin);
    if (channels < 0) fail("the driver refuses to take the channels off");
    pause(kQuietNs / 3);  // what was done just before is noticed now
    const long before = copier.progress();
    pause(kQuietNs);
    went_on += copier.progress() != before ? 1 : 0;
    const long seen = copier.rounds;
    const std::int64_t back = tactus::host::now_ns();
    if (resume() < 0) fail("the driver refuses to put the channels back");
    on.push_back(tactus::host::now_ns() - back);
    while (copier.rounds == seen && tactus::host::now_ns() - back < kPatienceNs) pause(kMs / 10);
    stuck += copier.rounds == seen ? 1 : 0;
  }
  copier.end = true;
  worker.join();
  print("off", off);
  print("on", on);
  std::printf(
      "channels %ld, switches %ld, copies went on while off %ld times, did not come back %ld "
      "times, %ld rounds of copies, %ld of them wrong\n",
      channels, switches, went_on, stuck, copier.rounds.load(), copier.wrong.load());
  return went_on + stuck + copier.wrong > 0 ? 1 : 0;
}
