#include "tactus/methods/gcaps/family.hpp"
#include "tactus/methods/gcaps/methods.hpp"
#include "tactus/methods/gcaps/plan.hpp"

/// The default driver: contexts share the GPU in time slices, round robin (Eqs. 3-8). GPU
/// priorities play no role.
namespace tactus::gcaps {
namespace {

/// Slices that the GPU time of a task takes, segment by segment; none for an empty segment.
std::int64_t slices_of(const TaskSet& set, const GpuTask& task) {
  std::int64_t slices = 0;
  for (const Segment& segment : task.segments) {
    if (segment.exec != Time()) slices += ceil_div(segment.exec, set.slice);
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
    for (const GpuTask& task : set_->tasks) slices_.push_back(slices_of(*set_, task));
  }

  FixedPoint window_of(std::size_t i, std::span<const Time> responses) {
    const GpuTask& task = set_->tasks[i];
    r_.clear();
    add_own_work(r_, task);
    if (task.uses_gpu()) {
      r_.add("time slices of others", checked::mul(contexts_ - 1, slices_[i]),
             set_->slice + set_->theta, "one of each other context, and a switch, per own slice");
      // F5: Eqs. 3 and 5 leave out the switch back to the task itself before each of its slices.
      if (variant_ != Variant::kPaper) {
        r_.add("switches back", slices_[i], set_->theta, "one per own slice");
      }
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
    } else {  // Eqs. 6, 7: it spins during its own slices and those of the others
      r_.add_demand("CPU preemption", h.index,
                    {.work = on_cpu + interleaving(place, interleaved),
                     .period = *h.period,
                     .jitter = h.jitter});
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
constexpr Ways kWays = kInPriorityOrder<RoundRobinTest, kMode, Overheads::kTimeSlice>;

constexpr std::string_view kAssumes =
    "chains of cpu and gpu/copy nodes; cores, unique priorities, D <= T, time_slice, "
    "context_switch";
constexpr std::string_view kNeeds = "the stock driver: time-sliced round robin between contexts";

/// As of gcaps.suspend: jitters are R_h - C_h, with the responses themselves.
constexpr Monotone kKept = {.times = true, .periods = true, .deadlines = true, .costs = true};
constexpr Protocol kTsgRr = {kAssumes, kNeeds, Part::kFirstRival, kKept};

}  // namespace

const Method kTsgRrSuspend = in_mode<kTsgRrSuspend, Mode::kSuspend>(
    kTsgRr, "tsg-rr.suspend", "the driver's round robin, tasks suspend while the GPU works",
    "round-robin-suspend", kWays<Mode::kSuspend>);
const Method kTsgRrBusy = in_mode<kTsgRrBusy, Mode::kBusy>(
    kTsgRr, "tsg-rr.busy", "the driver's round robin, tasks spin while the GPU works",
    "round-robin-busy", kWays<Mode::kBusy>);

}  // namespace tactus::gcaps
