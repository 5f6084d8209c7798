#pragma once

#include <cstddef>
#include <cstdint>

/// How one process's GPU work is taken off the GPU and put back.
///
/// A tier is what a client's control thread applies when the arbiter says so. This header is
/// preloaded into other programs: no C++ library, no exceptions, plain functions.
///
/// | tier      | takes off                                        | a pending client's launches  |
/// |-----------|--------------------------------------------------|------------------------------|
/// | `channel` | the process's compute channels, mid-kernel       | queue up in the channels     |
/// | `yield`   | kernels of our API, at the next block            | held at the checkpoint       |
/// | `gate`    | nothing: work stops itself at its checkpoint     | held at the checkpoint       |
/// | `process` | CPU-bound processes, by SIGSTOP (no GPU; for CI) | stopped with the process     |
namespace tactus::arbiter {

enum class TierResult : std::int32_t {
  kDone = 0,    ///< the work is off (or on) and was seen to be
  kLate = 1,    ///< asked, but not seen to be off before the deadline
  kFailed = 2,  ///< refused by the mechanism; the work goes on
};

/// Of one process: worst and mean over `samples` times off and on, in nanoseconds.
struct TierCost {
  std::int64_t take_off_max = 0, take_off_mean = 0;
  std::int64_t put_back_max = 0, put_back_mean = 0;
  std::int32_t samples = 0;  ///< 0: not measured
};

/// One mechanism, bound to this process's work.
///
///     Tier tier = gate.tier();
///     if (tier.take_off(tier.self, host::now_ns() + 10'000'000) == TierResult::kDone) ...
///     tier.put_back(tier.self);
///
/// `take_off` and `put_back` are called by the client's control thread (and by the thread that
/// installs the tier while the work must be off), never two at once. Each is idempotent: to take
/// off what is off is kDone. `put_back` must always succeed in returning the work (fail open): it
/// is also what happens when the arbiter dies.
struct Tier {
  const char* name = nullptr;  ///< static text, at most 15 characters; what `tactus top` shows
  /// Must `begin` and `checkpoint` wait until the client may run, because its launches would run
  /// otherwise? The client's gate is then shut before `take_off` and opened after `put_back`.
  bool held_at_begin = false;
  /// Is the work not taken off, but left to end (one launch, one item)? What it then takes to leave
  /// is a file's `preemption_delay`, and no part of its `runlist_update`.
  bool leaves_by_itself = false;
  void* self = nullptr;
  /// Takes the work off; gives up waiting at `deadline_ns` (CLOCK_MONOTONIC) and says kLate. The
  /// order is still valid then: the work goes off as soon as it can.
  TierResult (*take_off)(void* self, std::int64_t deadline_ns) = nullptr;
  TierResult (*put_back)(void* self) = nullptr;
  /// Stops, observes that work stops, restarts, observes that it resumes. False with a reason in
  /// `why`: the tier must not be used. Null where there is nothing to observe.
  bool (*self_test)(void* self, char* why, std::size_t why_size) = nullptr;
};

/// Times `samples` rounds of off and on. @return samples == 0 when a round was not kDone.
TierCost measure_cost(const Tier& tier, std::int32_t samples, std::int64_t deadline_ns_each);

}  // namespace tactus::arbiter
