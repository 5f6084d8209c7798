#pragma once

#include <array>
#include <limits>

#include "tactus/methods/gcaps/family.hpp"
#include "tactus/methods/gcaps/lock_windows.hpp"

/// What MPCP and FMLP+ share: the GPU is one global lock, each GPU segment one critical section of
/// length G; the holder is priority-boosted while it is on the CPU; waiting for the lock
/// suspends.
namespace tactus::gcaps {

inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

inline constexpr std::string_view kLockingAssumes =
    "chains of cpu and gpu/copy nodes; cores, unique priorities, D <= T; no overheads";

/// Lower tasks count by ceil((R + D) / T) jobs: a shorter deadline alone can make them fewer. Where
/// it is the period that gets shorter, with D = T these are 1 + ceil(R / T), which only grow.
inline constexpr Monotone kLockingMonotone = {.times = true, .periods = true, .costs = true};

/// CPU preemption by a higher-priority task of the same core.
inline void add_locking_preemption(Recurrence& r, Mode mode, const GpuTask& h, Time response) {
  const Time on_cpu = h.cpu + (mode == Mode::kSuspend ? h.launch : h.gpu());
  r.add_demand("CPU preemption", h.index,
               {.work = on_cpu, .period = *h.period, .jitter = response - on_cpu});
}

/// How long a boosted holder can keep its core: its launch code, or all of it when it spins.
inline Time boosted_length(Mode mode, const Segment& segment) {
  return mode == Mode::kSuspend ? segment.launch : segment.length();
}

/// Finer windows, if they are asked for.
inline constexpr std::array<OptionSpec, 1> kLockingOptions = {
    {{"windows", "off|on",
      "also count the jobs of others in the windows in which they can do harm, and not only in the "
      "whole response; the smaller bound counts"}}};

/// A locking protocol by the test of one task: its theorem says what a bound is made of, the fast form
/// finds it. By finer windows there may be a smaller one; both hold.
template <typename Theorem, typename Fast, Queue kQueue>
class LockingTest {
 public:
  void begin(const Inquiry& inquiry) {
    theorem_.begin(inquiry);
    fast_.begin(inquiry);
    use_windows_ = inquiry.options.get("windows") == "on";
    if (use_windows_) windows_.begin(inquiry, kQueue);
  }
  FixedPoint window_of(std::size_t i, std::span<const Time> responses) {
    responses_ = responses;
    const FixedPoint whole = fast_.window_of(i, responses);
    if (!use_windows_) return whole;
    const FixedPoint finer = finer_window_of(i, responses);
    by_windows_ = finer.found() && (!whole.found() || finer.value <= whole.value);
    if (whole.found()) windows_.ends_within(i, bound_from(windows_.task(i), whole).response.value);
    return by_windows_ ? finer : whole;
  }
  /// @pre of the window that was looked at last
  std::vector<Term> terms_of(std::size_t i, Time window) {
    return use_windows_ && by_windows_ ? windows_.terms_of(i, window)
                                       : theorem_.right_hand_side(i, responses_, window);
  }

 private:
  FixedPoint finer_window_of(std::size_t i, std::span<const Time> responses) {
    try {
      return windows_.window_of(i, responses);
    } catch (const Stopped&) {
      throw;
    } catch (const LimitReached&) {
      return {};  // the other one may know
    }
  }

  Theorem theorem_;
  Fast fast_;
  LockWindows windows_;
  std::span<const Time> responses_;
  bool use_windows_ = false, by_windows_ = false;
};

inline bool windows_of_what_was_published(const Options& options) {
  return options.get("windows") == "on" && is_printed(variant_of(options));
}

template <typename Theorem, typename Fast, Mode kMode, Queue kQueue>
Verdict analyze_locking(const System& system, const Options& options) {
  if (windows_of_what_was_published(options)) {
    return Verdict::not_applicable(Refusal{
        "--windows on makes safe bounds finer; the variant paper is what was published", {}});
  }
  // They use the deadlines of lower tasks.
  return kInPriorityOrder<LockingTest<Theorem, Fast, kQueue>, kMode, Overheads::kNone,
                          /*kHoldOnlyTogether=*/true>
      .analyze(system, options);
}

template <typename Theorem, typename Fast, Mode kMode, Queue kQueue>
std::optional<Status> decide_locking(const System& system, const Options& options) {
  if (windows_of_what_was_published(options)) return std::nullopt;
  return kInPriorityOrder<LockingTest<Theorem, Fast, kQueue>, kMode, Overheads::kNone>.decide(
      system, options);
}

template <typename Theorem, typename Fast, Mode kMode, Queue kQueue>
constexpr Ways kLocking = {analyze_locking<Theorem, Fast, kMode, kQueue>,
                           decide_locking<Theorem, Fast, kMode, kQueue>};

}  // namespace tactus::gcaps
