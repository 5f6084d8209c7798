#include "tactus/arbiter/tiers/self_test.hpp"

namespace tactus::arbiter::tiers {
namespace {

constexpr Time kLongEnough = Time::from_ms(1000);
constexpr Time kStep = Time::from_us(50);

/// Does the work make progress within a second?
bool progresses(const Trial& trial) {
  const std::uint32_t before = trial.progress();
  const Time give_up = trial.now() + kLongEnough;
  while (trial.progress() == before) {
    if (trial.now() > give_up) return false;
    trial.pause(kStep);
  }
  return true;
}

bool stands_still(const Trial& trial, Time quiet) {
  trial.pause(Time::from_us(100));  // writes on their way to the host arrive
  const std::uint32_t before = trial.progress();
  trial.pause(quiet);
  return trial.progress() == before;
}

std::string one_round(const Trial& trial, Time quiet, SelfTest& result) {
  if (!progresses(trial)) return "the work to try it on does not run";
  if (trial.ready) trial.ready();
  const Time asked = trial.now();
  if (!trial.stop()) return "the driver refuses to stop channels";
  const Time stopped = trial.now();
  const bool still = stands_still(trial, quiet);
  const Time back = trial.now();
  const bool resumed = trial.resume();
  const Time done = trial.now();
  if (!still) return "work goes on although the driver said that it was stopped";
  if (!resumed) return "the driver refuses to put channels back";
  if (!progresses(trial)) return "stopped work does not come back";
  result.stop_times.push_back(stopped - asked);
  result.resume_times.push_back(done - back);
  return {};
}

}  // namespace

SelfTest run_self_test(const Trial& trial, int rounds, Time quiet) {
  SelfTest result;
  for (int round = 0; round < rounds && result.reason.empty(); ++round)
    result.reason = one_round(trial, quiet, result);
  const bool right = trial.finish();
  if (result.reason.empty() && !right) result.reason = "work that was stopped gives wrong results";
  result.passed = result.reason.empty();
  return result;
}

}  // namespace tactus::arbiter::tiers
