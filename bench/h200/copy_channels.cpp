// Do copies stop when the channels of their copy engines are disabled, too, and are their results right?
// With TACTUS_CHANNEL_COPIES=no the tier `channel` switches compute channels only, for comparison.
//
//     LD_PRELOAD=libtactus_preload.so copy_channels [SWITCHES [MIB]]
//
// One thread copies MIB (4) to the device and back, again and again, and compares every byte; the other takes
// the process off the GPU and puts it back, SWITCHES (10000) times, anywhere in a copy. Exit code 0: copies stopped every time, came
// back every time, and every byte was right; 1: not so; 3: there is no GPU, or the library is not loaded.

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tactus/arbiter/tiers/copy_work.hpp"
#include "tactus/host/clock.hpp"

namespace {

using tactus::arbiter::tiers::CopyWork;
using tactus::arbiter::tiers::GpuWork;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kQuietNs = 3 * kMs;        ///< how long nothing may be done while off
constexpr std::int64_t kPatienceNs = 1000 * kMs;  ///< until work must go on again

void fail(const char* why) {
  std::fprintf(stderr, "copy_channels: %s\n", why);
  std::_Exit(3);
}
void pause(std::int64_t ns) { tactus::host::sleep_until_ns(tactus::host::now_ns() + ns); }

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
  const auto work = GpuWork::open(0, tactus::arbiter::tiers::Waiting::kBusy);
  if (!work) fail(work.error().message.c_str());
  CopyWork copies(**work);
  if (const auto problem = copies.start(bytes)) fail(problem->message.c_str());
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
    const auto before = copies.progress();
    pause(kQuietNs);
    went_on += copies.progress() != before ? 1 : 0;
    const auto seen = copies.rounds();
    const std::int64_t back = tactus::host::now_ns();
    if (resume() < 0) fail("the driver refuses to put the channels back");
    on.push_back(tactus::host::now_ns() - back);
    while (copies.rounds() == seen && tactus::host::now_ns() - back < kPatienceNs) pause(kMs / 10);
    stuck += copies.rounds() == seen ? 1 : 0;
  }
  const bool right = copies.finish();
  print("off", off);
  print("on", on);
  std::printf(
      "channels %ld, switches %ld, copies went on while off %ld times, did not come back %ld "
      "times, %ld rounds of copies, %ld of them wrong\n",
      channels, switches, went_on, stuck, static_cast<long>(copies.rounds()),
      static_cast<long>(copies.wrong()));
  return went_on + stuck > 0 || !right ? 1 : 0;
}
