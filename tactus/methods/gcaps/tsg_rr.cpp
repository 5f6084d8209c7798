#include "tactus/methods/gcaps/family.hpp"
#include "tactus/methods/gcaps/methods.hpp"
#include "tactus/methods/gcaps/plan.hpp"

/// The default driver: contexts share the GPU in time slices, round robin (Eqs. 3-8). GPU
/// priorities play no role.
namespace tactus::gcaps {
namespace {

/// Slices that `exec` GPU time takes; none for an empty segment.
std::int64_t slices(const TaskSet& set, Time exec) {
  return exec == Time() ? 0 : ceil_div(exec, set.slice);
}

/// Eq. 3: I(nu, g), the delay of `exec` GPU time by `nu` other contexts, one slice of each and a
/// switch to it before every own slice. Summed over the task's segments.
Time interleaving(const TaskSet& set, const GpuTask& task, std::int64_t nu) {
  Time delay;
  for (const Segment& segment : task.segments) {
    delay += nu * slices(set, segment.exec) * (set.slice + set.theta);
  }
  return delay;
}

/// F5: Eqs. 3 and 5 leave out the switch back to the task itself before each of its slices.
Time switches_back(const TaskSet& set, const GpuTask& task) {
  Time delay;
  for (const Segment& segment : task.segments) delay += slices(set, segment.exec) * set.theta;
  return delay;
}

class RoundRobinTest {
 public:
  RoundRobinTest(const TaskSet& set, Mode mode, Variant variant)
      : set_(set), mode_(mode), variant_(variant) {
    for (const GpuTask& task : set.tasks) contexts_ += task.uses_gpu() ? 1 : 0;
  }

  TaskBound bound_of(std::size_t i, std::span<const Time> responses) {
    const GpuTask& task = set_.tasks[i];
    r_.clear();
    add_own_work(r_, task);
    if (task.uses_gpu()) {
      r_.add("time slices of others", interleaving(set_, task, contexts_ - 1));
      if (variant_ != Variant::kPaper) r_.add("switches back", switches_back(set_, task));
    }
    // Eq. 6: the contexts that interleave with a busy-waiting h are those outside hpp(i), plus h.
    std::int64_t outside = contexts_;
    for (std::size_t h : set_.hpp(i)) outside -= set_.tasks[h].uses_gpu() ? 1 : 0;
    for (std::size_t h : set_.hpp(i)) add_preemption(set_.tasks[h], responses[h], outside + 1);
    const FixedPoint response = r_.solve(task.deadline);
    return {response, r_.terms(response.window)};
  }

 private:
  void add_preemption(const GpuTask& h, Time response, std::int64_t interleaved) {
    const Time on_cpu = h.cpu + h.launch;
    if (mode_ == Mode::kSuspend) {  // Eq. 8
      r_.add_demand("CPU preemption", h.index,
                    {.work = on_cpu, .period = *h.period, .jitter = response - on_cpu});
    } else {  // Eqs. 6, 7: it spins during its own slices and those of the others
      r_.add_demand("CPU preemption", h.index,
                    {.work = on_cpu + interleaving(set_, h, interleaved), .period = *h.period});
    }
  }

  const TaskSet& set_;
  Mode mode_;
  Variant variant_;
  std::int64_t contexts_ = 0;  ///< GPU-using tasks, best-effort ones included
  Recurrence r_;
};

template <Mode kMode>
constexpr auto kAnalyze = analyze_in_priority_order<RoundRobinTest, kMode, Overheads::kTimeSlice>;

constexpr std::string_view kAssumes =
    "chains of cpu and gpu/copy nodes; cores, unique priorities, D <= T, time_slice, "
    "context_switch";
constexpr std::string_view kNeeds = "the stock driver: time-sliced round robin between contexts";

}  // namespace

const Method kTsgRrSuspend = {
    .id = "tsg-rr.suspend",
    .title = "the driver's round robin, tasks suspend while the GPU works",
    .paper = kPaperTitle,
    .assumes = kAssumes,
    .needs = kNeeds,
    .variants = kVariants,
    .makes_plan = true,
    .analyze = analyze_and_plan<kAnalyze<Mode::kSuspend>, Mode::kSuspend>,
    .check_plan = check_plan_by<kTsgRrSuspend, Mode::kSuspend>,
    .read_plan = read_plan_by<kTsgRrSuspend, Mode::kSuspend>,
    .behaviour = {.name = "round-robin-suspend", .recipe = "gcaps-small"},
    .look = {.part = Part::kFirstRival},
};
const Method kTsgRrBusy = {
    .id = "tsg-rr.busy",
    .title = "the driver's round robin, tasks spin while the GPU works",
    .paper = kPaperTitle,
    .assumes = kAssumes,
    .needs = kNeeds,
    .variants = kVariants,
    .makes_plan = true,
    .analyze = analyze_and_plan<kAnalyze<Mode::kBusy>, Mode::kBusy>,
    .check_plan = check_plan_by<kTsgRrBusy, Mode::kBusy>,
    .read_plan = read_plan_by<kTsgRrBusy, Mode::kBusy>,
    .behaviour = {.name = "round-robin-busy", .recipe = "gcaps-small"},
    .look = {.part = Part::kFirstRival, .second = true},
};

}  // namespace tactus::gcaps
