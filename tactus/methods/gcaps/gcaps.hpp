#pragma once

#include <optional>
#include <span>

#include "tactus/methods/gcaps/family.hpp"

namespace tactus::gcaps {

/// The theorem of GCAPS: the response-time test of one task (Section 6.3, Lemmas 8 to 15, Eqs. 9 to 14).
/// The forms in fast/ find the same bounds sooner, and tests hold them to this.
///
/// `gpu_level` orders the real-time tasks on the GPU (larger is more urgent); `responses` stand for
/// R_h in every jitter (response times where GPU and CPU order agree, deadlines else).
class GcapsTest {
 public:
  /// Are all of `gpu_level` final, or is a search still choosing those above the task?
  enum class Levels { kFinal, kStillChosen };

  /// @param terms must the bounds say what they are made of?
  /// @param levels still chosen: then what others demand does not depend on them
  GcapsTest(const Inquiry& inquiry, bool terms, Levels levels = Levels::kFinal)
      : set_(inquiry.set),
        mode_(inquiry.mode),
        variant_(inquiry.variant),
        levels_(levels),
        terms_(terms),
        explain_(inquiry.options.explain),
        leave_(is_printed(variant_) ? Time() : set_.leave()),
        memory_(worth_keeping(set_)),
        r_(memory_->r),
        owner_below_(memory_->owner_below) {
    r_.restart(terms);
    owner_below_.assign(set_.cores, false);
  }

  TaskBound bound_of(std::size_t i, std::span<const std::int64_t> gpu_level,
                     std::span<const Time> responses, Levels levels = Levels::kFinal);

  // The parts of a bound:
  /// What does not depend on the window.
  void set_up_own(Recurrence& r, std::size_t i, std::span<const std::int64_t> gpu_level) const;
  /// Of a task h above on the same core: for every task below it, and for those that use the GPU too.
  Recurrence::Demand local_demand(const GpuTask& h, Time response) const;
  std::optional<Recurrence::Demand> local_gpu_demand(const GpuTask& h, Time response) const;
  /// Of a task h on another core: as owner of the GPU, and as one that keeps an owner off its core.
  Recurrence::Demand remote_demand(const GpuTask& h, Time response) const;
  static Recurrence::Demand kept_off_demand(const GpuTask& h, Time response);
  /// Of a task h on another core and above i: as one that keeps a holder of the update lock off its
  /// core, for which i or an owner waits. Nothing if it cannot.
  std::optional<Recurrence::Demand> lock_demand(const GpuTask& h, Time response) const;
  /// Owners on other cores count for task i if their level is above this one; nothing: none counts.
  std::optional<std::int64_t> least_level_ahead(std::size_t i,
                                                std::span<const std::int64_t> gpu_level,
                                                Levels levels) const;
  /// Is nobody's own part of a bound longer at the top of the GPU than below? There it may wait
  /// until others have left, and for their copies.
  bool shortest_at_the_top() const {
    return leave_ == Time() && (!repaired() || set_.copies.uses.empty());
  }
  /// Does all that delays a task on another core delay those below it, too, and as much? Not where a
  /// task is in the way of an update first, and of an owner later.
  bool only_grows() const { return variant_ != Variant::kSafeInherit; }
  /// Not the published equations?
  bool repaired() const { return !is_printed(variant_); }

 private:
  /// Waits for updates of others, and how they are counted.
  struct Waits {
    std::int64_t count;
    std::string_view how;
  };
  Waits waits_of(const GpuTask& task) const;
  /// One at the beginning and one at the end of each of its GPU segments.
  static std::int64_t own_updates(const GpuTask& task) { return 2 * task.eta(); }
  bool closes_window(const GpuTask& task) const;
  /// How often it waits until others have left.
  std::int64_t waits_for_leavers(std::size_t i, std::span<const std::int64_t> gpu_level) const;
  bool can_find_others_there(std::size_t i, std::span<const std::int64_t> gpu_level) const;
  /// What a job of task i waits for copies of others, and what one of task h does, for those below.
  Time own_copy_wait(std::size_t i, std::span<const std::int64_t> gpu_level) const;
  Time copy_wait(const GpuTask& h) const;

  Time eps(std::int64_t count) const { return count * set_.epsilon; }
  /// How many updates of local lower-priority tasks can keep k off its core each time that it comes
  /// back to it: one of each where they are never preempted, none with an arbiter, and under an
  /// rt_mutex that of the one holder, if a task above k can wait for it.
  std::int64_t local_updaters(const GpuTask& k) const;
  /// How often k comes back to its core and can find such updates there, while it owns the GPU in one
  /// of its segments. No lower task takes an rt_mutex that a task above it waits for.
  std::int64_t returns_as_owner() const { return variant_ == Variant::kSafeInherit ? 1 : 2; }

  /// kappa: with an arbiter the one lower request before Begin(i) may itself be waiting for a task
  /// to leave while it holds the lock; in a driver no lock is held then.
  std::int64_t kappa() const { return variant_ == Variant::kSafeArbiter ? 2 : 1; }

  const TaskSet& set_;
  Mode mode_;
  Variant variant_;
  Levels levels_;
  bool terms_;
  std::optional<TaskIndex> explain_;
  Time leave_;  ///< d'
  struct Memory {
    Recurrence r;
    std::vector<char> owner_below;
  };
  Reused<Memory> memory_;
  Recurrence& r_;
  std::vector<char>& owner_below_;  ///< by core: is there an owner below?
};

}  // namespace tactus::gcaps
