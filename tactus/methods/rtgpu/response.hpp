#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tactus/methods/rtgpu/fixed_point.hpp"
#include "tactus/methods/rtgpu/workload.hpp"
#include "tactus/methods/verdict.hpp"

namespace tactus::rtgpu {

/// The names of time on a kind of resource in the terms of a bound.
struct ResourceLabels {
  std::string_view own, blocking, interference;
};
inline constexpr ResourceLabels kCpuLabels = {"own CPU work", "", "CPU preemption"};

/// The tasks that use a resource, most urgent first.
struct Users {
  std::vector<Workload> workloads;
  std::vector<std::size_t> ranks;  ///< whose workload: places in the priority order
  std::vector<TaskIndex> tasks;    ///< the same as places in the file

  /// Up to `count` users then stay where they are.
  void reserve(std::size_t count);
  void add(std::size_t rank, TaskIndex task, Workload workload);
  /// Forgets the tasks from `rank` on.
  void cut(std::size_t rank);
  /// How many are more urgent than `rank`.
  std::size_t above(std::size_t rank) const;
};

/// One resource as one task uses it.
struct Contention {
  ResourceIndex resource = 0;
  const ResourceLabels* labels = nullptr;
  std::span<const Workload> higher;         ///< of the more urgent tasks
  std::span<const TaskIndex> higher_tasks;  ///< whose they are
  bool preemptive = false;
  Time blocking;  ///< by less urgent work, once before each piece; 0 on a preemptive resource
};

/// Over which window interference on a non-preemptive resource is bounded: once for each copy, as
/// the paper does (Lemma 5.3), or once for the whole job where that is less (`tight`).
enum class BusWindow { kPerCopy, kWholeJob };

/// The response-time test of one task (Lemmas 5.3 and 5.5, Eqs. 7 and 8, and `tight`).
/// Segment bounds (MR, CR) come from one recurrence each; the bound of the job from
///
///     t = private + sum over resources of min( sum of segment bounds,
///                                              sum (upper + B) + sum over hp W(t) )
///
/// The least fixed point of this minimum is the least of the fixed points of all choices of sides
/// (a window that satisfies the minimum satisfies one choice, and the reverse), so R = min(R1, R2),
/// and the four combinations of `tight`, take one iteration instead of one per choice.
class ResponseTest {
 public:
  /// Private pieces (kernels) of `chain` are not looked at.
  ResponseTest(std::span<const Piece> chain, Time deadline, std::vector<Contention> contentions);

  /// Computes MR and CR of every piece: most of the work of a test. Without them `bound` takes the
  /// whole-job side of the minimum everywhere, which is never below R and may be enough to know.
  void bound_segments();

  /// MR or CR of a piece of the chain, nothing when beyond the deadline; 0 for private or absent
  /// ones. @pre `bound_segments` was called; so too for windows per copy, and for terms.
  std::optional<Time> segment_bound(std::size_t piece) const { return segment_bounds_[piece]; }

  /// R, nothing when beyond the deadline. `start` may be anything not above R.
  std::optional<Time> bound(Time private_time, BusWindow window, Time start = {}) const;

  /// What the bound is made of; without a bound, what the demand in a window as long as the
  /// deadline is made of (it exceeds the deadline).
  std::vector<Term> terms(Time private_time, BusWindow window, std::optional<Time> bound) const;

 private:
  struct Use {
    struct Own {
      std::size_t piece;  ///< place in the chain
      Time upper;
    };
    Contention with;
    std::vector<Own> pieces;          ///< ascending upper bounds
    Time own, blocking;               ///< sums over the pieces
    std::vector<Time> interference;   ///< of each more urgent task, summed over bounded pieces
    std::optional<Time> by_segments;  ///< sum of segment bounds, where known and finite
    bool joint(BusWindow window) const { return with.preemptive || window == BusWindow::kWholeJob; }
  };
  void bound_segments(Use& use);
  Demand demand_at(Time private_time, BusWindow window, Time t) const;
  Time sure(BusWindow window, Time t, Time lead) const;
  bool takes_joint(const Use& use, BusWindow window, Time t) const;

  Time deadline_;
  std::vector<Use> uses_;
  std::vector<std::optional<Time>> segment_bounds_;
};

}  // namespace tactus::rtgpu
