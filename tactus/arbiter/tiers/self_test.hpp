#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::arbiter::tiers {

/// A mechanism that claims to stop and restart this process's GPU work, and work to try it on.
struct Trial {
  std::function<bool()> stop, resume;       ///< false: refused
  std::function<std::uint32_t()> progress;  ///< changes as long as the work runs
  std::function<bool()> finish;             ///< lets the work end; was the outcome right?
  std::function<void(Time)> pause;          ///< sleeps
  std::function<Time()> now;
  std::function<void()> ready = {};  ///< waits until the work is where it is to be stopped
};

struct SelfTest {
  bool passed = false;
  std::string reason;  ///< what was seen, when it did not pass
  std::vector<Time> stop_times, resume_times;
};

/// Stops and restarts work that is running, `rounds` times, and checks what it sees: after a stop
/// there must be no progress for `quiet`, after a restart there must be some within a second, and
/// at the end the results must be right. In any case the work is left running.
SelfTest run_self_test(const Trial& trial, int rounds, Time quiet);

}  // namespace tactus::arbiter::tiers
