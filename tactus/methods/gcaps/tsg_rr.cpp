#include <array>

#include "tactus/methods/gcaps/family.hpp"
#include "tactus/methods/gcaps/gcaps_methods.hpp"
#include "tactus/methods/gcaps/gcaps_plan.hpp"

/// The default driver: contexts share the GPU in time slices, round robin (Eqs. 3-8). GPU
/// priorities play no role.
namespace tactus::gcaps {
namespace {

/// Slices that the GPU time of a task takes, segment by segment; none for an empty segment. Copies take
/// none: other contexts have the GPU meanwhile, so that what comes after a copy waits for slices anew.
/// As published they are work like any other.
std::int64_t slices_of(const TaskSet& set, std::size_t i, Variant variant) {
  std::int64_t slices = 0;
  const auto add = [&](Time exec) {
    if (exec != Time()) slices += ceil_div(exec, set.slice);
  };
  if (set.copies.any() && !is_printed(variant)) {
    for (const Time kernels : set.copies.kernels_of(i)) add(kernels);
  } else {
    for (const Segment& segment : set.tasks[i].segments) add(segment.exec);
  }
  if (is_printed(variant)) return slices;
  // Where kernels begin before all are launched, each may wait for its launch, and for a slice anew.
  for (const Segment& segment : set.tasks[i].segments) {
    if (segment.overlap > Time()) slices += segment.nodes - 1;
  }
  return slices;
}

class RoundRobinTest {
 public:
  void begin(const Inquiry& inquiry) {
    set_ = &inquiry.set;
    mode_ = inquiry.mode;
    variant_ = inquiry.variant;
    contexts_ = std::ssize(set_->gpu_users);
    r_.restart(inquiry.options.terms);
    slices_.clear();
    for (std::size_t i = 0; i < set_->tasks.size(); ++i) {
      slices_.push_back(slices_of(*set_, i, variant_));
    }
  }

  FixedPoint window_of(std::size_t i, std::span<const Time> responses) {
    const GpuTask& task = set_->tasks[i];
    r_.clear();
    add_own_work(r_, task);
    if (task.uses_gpu()) {
      r_.add("time slices of others", checked::mul(contexts_ - 1, slices_[i]),
             set_->slice + set_->theta, "one of each other context, and a switch, per own slice");
      // F5: Eqs. 3 and 5 leave out the switch back to the task itself before each of its slices.
      if (!is_printed(variant_)) {
        r_.add("switches back", slices_[i], set_->theta, "one per own slice");
        r_.add("copy blocking", task.copy_wait_for_all, "copies of others, before each own copy");
      }
    }
    if (variant_ == Variant::kReleased) {
      add_released_preemption(i);
      return r_.solve(task.deadline);
    }
    // Eq. 6: the contexts that interleave with a busy-waiting h are those outside hpp(i), plus h.
    std::int64_t outside = contexts_;
    for (std::size_t h : set_->hpp(i)) outside -= set_->tasks[h].uses_gpu() ? 1 : 0;
    for (std::size_t h : set_->hpp(i)) add_preemption(h, responses[h], outside + 1);
    return r_.solve(task.limit());
  }
  std::vector<Term> terms_of(std::size_t, Time window) const { return r_.terms(window); }

 private:
  /// Eq. 3: I(nu, g), the delay of the GPU time of a task by `nu` other contexts, one slice of each
  /// and a switch to it before every own slice. Summed over its segments.
  Time interleaving(std::size_t task, std::int64_t nu) const {
    return checked::mul(nu, slices_[task]) * (set_->slice + set_->theta);
  }

  void add_preemption(std::size_t place, Time response, std::int64_t interleaved) {
    const GpuTask& h = set_->tasks[place];
    const Time on_cpu = h.cpu + h.launch;
    if (mode_ == Mode::kSuspend) {  // Eq. 8
      r_.add_demand("CPU preemption", h.index,
                    {.work = on_cpu, .period = *h.period, .jitter = response - on_cpu});
    } else {  // Eqs. 6, 7: it spins during its own slices and those of the others, and its copies
      const Time copying = is_printed(variant_) ? Time() : h.copy_time + h.copy_wait_for_all;
      r_.add_demand("CPU preemption", h.index,
                    {.work = on_cpu + interleaving(place, interleaved) + copying,
                     .period = *h.period,
                     .jitter = h.jitter});
    }
  }

  /// What the authors' program has in the place of Eqs. 6 to 8 (docs/use/methods/gcaps.md): D_h for
  /// R_h; busy, it leaves out tasks without GPU segments, counts G^m twice, and has the first of all
  /// tasks where it means the lower ones.
  void add_released_preemption(std::size_t i) {
    std::int64_t interleaved = 0;
    for (std::size_t k : set_->gpu_users) {
      interleaved += k < i && !set_->same_core(k, i) ? 1 : 0;
      interleaved += k + 1 + i < set_->tasks.size() ? 1 : 0;
    }
    for (std::size_t place : set_->hpp(i)) {
      const GpuTask& h = set_->tasks[place];
      const Time on_cpu = h.cpu + h.launch;
      if (mode_ == Mode::kSuspend) {
        r_.add_demand("CPU preemption", h.index,
                      {.work = on_cpu, .period = *h.period, .jitter = h.deadline - on_cpu});
      } else if (h.uses_gpu()) {
        r_.add_demand(
            "CPU preemption", h.index,
            {.work = on_cpu + h.gpu() + interleaving(place, interleaved), .period = *h.period});
      }
    }
  }

  const TaskSet* set_ = nullptr;
  Mode mode_ = Mode::kSuspend;
  Variant variant_ = Variant::kSafe;
  std::int64_t contexts_ = 0;         ///< GPU-using tasks, best-effort ones included
  std::vector<std::int64_t> slices_;  ///< by task
  Recurrence r_;
};

template <Mode kMode>
constexpr Ways kTsgRrWays = kInPriorityOrder<RoundRobinTest, kMode, Overheads::kTimeSlice>;

constexpr std::string_view kTsgRrAssumes =
    "chains of cpu and gpu/copy nodes; cores, unique priorities, D <= T, time_slice, "
    "context_switch";
constexpr std::string_view kTsgRrNeeds =
    "the stock driver: time-sliced round robin between contexts";

/// As of gcaps.suspend: jitters are R_h - C_h, with the responses themselves.
constexpr Monotone kTsgRrKept = {.times = true, .periods = true, .deadlines = true, .costs = true};
constexpr std::array<std::string_view, 4> kTsgRrVariants = {kSafe, "safe-arbiter", "paper",
                                                            "released"};
constexpr Protocol kTsgRr = {kTsgRrAssumes,       kTsgRrNeeds, Part::kFirstRival,
                             GpuBetween::kDriver, kTsgRrKept,  kTsgRrVariants};

}  // namespace

const Method kTsgRrSuspend = in_mode<kTsgRrSuspend, Mode::kSuspend>(
    kTsgRr, "tsg-rr.suspend", "the driver's round robin, tasks suspend while the GPU works",
    "round-robin-suspend", kTsgRrWays<Mode::kSuspend>);
const Method kTsgRrBusy = in_mode<kTsgRrBusy, Mode::kBusy>(
    kTsgRr, "tsg-rr.busy", "the driver's round robin, tasks spin while the GPU works",
    "round-robin-busy", kTsgRrWays<Mode::kBusy>);

}  // namespace tactus::gcaps
