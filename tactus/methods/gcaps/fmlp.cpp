#include "tactus/methods/gcaps/fmlp.hpp"

#include "tactus/methods/gcaps/fast/fmlp.hpp"
#include "tactus/methods/gcaps/gcaps_methods.hpp"
#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tactus/methods/terms.hpp"

/// FMLP+: the GPU is a lock with a FIFO queue. Step by step as in docs/use/methods/gcaps.md, "fmlp";
/// fast/fmlp.cpp finds the least solution sooner, and tests hold it to this.
namespace tactus::gcaps {

std::vector<Term> Fmlp::right_hand_side(std::size_t i, std::span<const Time> responses,
                                        Time window) {
  const GpuTask& task = set_->tasks[i];
  const std::int64_t eta = task.eta();
  r_.clear();
  if (reading_.closes_window(task)) r_.close_window();
  add_own_work(r_, task);
  for (const std::size_t h : set_->hpp(i)) {
    add_locking_preemption(r_, reading_.mode, set_->tasks[h], responses[h]);
  }
  std::vector<Term> terms = r_.terms(window);
  const auto add = [&](std::string_view label, const GpuTask& by, std::int64_t count, Time each,
                       std::string_view how) {
    if (count * each == Time()) return;
    terms.push_back({.label = label,
                     .by = by.index,
                     .amount = count * each,
                     .jobs = count,
                     .each = each,
                     .how = how});
  };
  window = r_.reach(window);

  // Step 1: each request waits for at most one section of every other task.
  std::int64_t remote = 0;
  for (const std::size_t x : set_->gpu_users) {
    const bool local = set_->same_core(x, i);
    if (x == i || eta == 0 || !reading_.queue_counts(local)) continue;
    const GpuTask& other = set_->tasks[x];
    const std::int64_t ahead = std::min(eta, reading_.requests(other, window));
    if (!local) remote += ahead;
    add("GPU lock", other, ahead, other.longest_section,
        "requests ahead in the queue, each its longest section");
  }
  // Step 2: boosts of each lower task on its core.
  const std::int64_t z = reading_.suspensions(eta, remote);
  for (const std::size_t l : set_->lower_on_core(i)) {
    const GpuTask& lower = set_->tasks[l];
    if (!lower.uses_gpu()) continue;
    add("boosted", lower, std::min(1 + z, reading_.requests(lower, window)), reading_.boost(lower),
        "one per own request and one more, each its longest");
  }
  return readable_terms(std::move(terms));
}

namespace {

constexpr std::string_view kFmlpNeeds = "GPU segments under one lock with a FIFO queue (FMLP+)";

constexpr Protocol kFmlp = {kLockingAssumes,  kFmlpNeeds, Part::kThirdRival, GpuBetween::kFifoLock,
                            kLockingMonotone, kVariants,  kLockingOptions};

template <Mode kMode>
constexpr Ways kFmlpWays = kLocking<Fmlp, FastFmlp, kMode, Queue::kFifo>;

}  // namespace

const Method kFmlpSuspend = in_mode<kFmlpSuspend, Mode::kSuspend>(
    kFmlp, "fmlp.suspend", "GPU behind an FMLP+ lock, tasks suspend while the GPU works",
    "fifo-lock-suspend", kFmlpWays<Mode::kSuspend>);
const Method kFmlpBusy = in_mode<kFmlpBusy, Mode::kBusy>(
    kFmlp, "fmlp.busy", "GPU behind an FMLP+ lock, tasks spin while the GPU works",
    "fifo-lock-busy", kFmlpWays<Mode::kBusy>);

}  // namespace tactus::gcaps
