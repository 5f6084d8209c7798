// The process in which tiers are tried: work that fills the GPU, stopped and restarted again and
// again.

#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "tactus/arbiter/client/channel_tier.hpp"
#include "tactus/arbiter/preload/channel_copies.hpp"
#include "tactus/arbiter/tiers/copy_work.hpp"
#include "tactus/arbiter/tiers/gpu_work.hpp"
#include "tactus/arbiter/tiers/self_test.hpp"
#include "tactus/arbiter/tiers/tier_block.hpp"
#include "tactus/arbiter/tiers/tier_survey.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/host/nap.hpp"
#include "tactus/host/shared_memory.hpp"

namespace tactus::arbiter::tiers {
namespace {

constexpr Time kItem = Time::from_us(20);
constexpr Time kQuiet = Time::from_ms(2);
constexpr std::size_t kCopyBytes = std::size_t{16} << 20;
/// A round with a copy there and back, and all comparing; how long to wait for one.
constexpr Time kCopyRound = Time::from_ms(8), kPatience = Time::from_ms(50);

void pause_for(Time time) { host::nap_ns(time.ns()); }

/// Lets the work end, early, and asks whether what it did is right.
bool finish(GpuWork& work) {
  // All items, however many are left: only then does the checksum say anything.
  if (work.wait()) return false;
  const Result<bool> right = work.correct();
  return right && *right;
}

/// Long enough for all rounds; a round takes some milliseconds.
std::uint32_t work_for(const GpuWork& work, int rounds, Time round = Time::from_us(2500)) {
  return work.items_for(Time::from_ms(50) + rounds * round);
}

void keep(const SelfTest& test, TierTrialBlock::Times& times) {
  times.passed = test.passed;
  std::snprintf(times.reason, sizeof times.reason, "%s", test.reason.c_str());
  times.count = static_cast<std::uint32_t>(std::min(test.stop_times.size(), kMostRounds));
  for (std::uint32_t i = 0; i < times.count; ++i) {
    times.take_off_ns[i] = test.stop_times[i].ns();
    times.put_back_ns[i] = test.resume_times[i].ns();
  }
}

SelfTest try_channel(GpuWork& work, int rounds) {
  const client::ChannelFunctions functions = client::find_channel_functions();
  SelfTest result;
  result.reason = "libtactus_preload.so is not in the process";
  if (functions.stop == nullptr || functions.resume == nullptr) return result;
  const bool with_copies = preload::takes_copies_off(std::getenv(preload::kChannelCopiesVariable));
  CopyWork copies(work);
  std::optional<Error> problem = with_copies ? copies.start(kCopyBytes) : std::nullopt;
  if (!problem) problem = work.start(work_for(work, rounds, kCopyRound), true);
  if (problem) {
    result.reason = problem->message;
    return result;
  }
  const Trial kernels{.stop = [&] { return functions.stop() >= 0; },
                      .resume = [&] { return functions.resume() >= 0; },
                      .progress = [&] { return work.progress(); },
                      .finish = [&] { return with_copies || finish(work); },
                      .pause = pause_for,
                      .now = [] { return Time::from_ns(host::now_ns()); }};
  const int copy_rounds = with_copies ? std::max(rounds / 2, 1) : 0;
  result = run_self_test(kernels, std::max(rounds - copy_rounds, 1), kQuiet);
  if (!with_copies || !result.passed) return result;
  // The same, in the middle of copies.
  Trial both = kernels;
  both.ready = [&] {
    const std::int64_t give_up = host::now_ns() + kPatience.ns();
    while (!copies.copying() && host::now_ns() < give_up) host::relax();
  };
  // The thread that copies needs a moment to notice what was done just before.
  both.pause = [](Time time) { pause_for(std::max(time, Time::from_ms(1))); };
  both.progress = [&] { return static_cast<std::uint32_t>(copies.progress()); };
  both.finish = [&] {
    const bool right = copies.finish();
    return finish(work) && right;
  };
  const SelfTest copied = run_self_test(both, copy_rounds, kQuiet);
  result.passed = copied.passed;
  if (!copied.passed) result.reason = "copies: " + copied.reason;
  for (auto times : {&SelfTest::stop_times, &SelfTest::resume_times})
    (result.*times).insert((result.*times).end(), (copied.*times).begin(), (copied.*times).end());
  return result;
}

SelfTest try_yield(GpuWork& work, int rounds) {
  SelfTest result;
  if (auto problem = work.start(work_for(work, rounds), true)) {
    result.reason = problem->message;
    return result;
  }
  return run_self_test({.stop = [&] { return !work.set_yield(true) && !work.wait(); },
                        .resume = [&] { return !work.set_yield(false) && !work.resume(); },
                        .progress = [&] { return work.progress(); },
                        .finish = [&] { return finish(work); },
                        .pause = pause_for,
                        .now = [] { return Time::from_ns(host::now_ns()); }},
                       rounds, kQuiet);
}

}  // namespace

int run_tier_process(int file, int device, int rounds) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const host::SharedMemory memory(file);
  if (!memory || memory.size() < sizeof(TierTrialBlock)) return 2;
  auto& block = *static_cast<TierTrialBlock*>(memory.at());
  const auto fail = [&](const Error& error) {
    std::snprintf(block.problem, sizeof block.problem, "%s", error.message.c_str());
    return 1;
  };
  auto work = GpuWork::open(device, Waiting::kBusy);
  if (!work) return fail(work.error());
  std::snprintf(block.machine, sizeof block.machine, "%s", (*work)->device_name().c_str());
  if (auto problem = (*work)->calibrate(kItem)) return fail(*problem);
  keep(try_yield(**work, rounds), block.yield);
  keep(try_channel(**work, rounds), block.channel);  // last: whatever it leaves behind, ends here
  return 0;
}

}  // namespace tactus::arbiter::tiers
