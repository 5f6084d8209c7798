#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/plan_source.hpp"
#include "tactus/methods/rtgpu/rtgpu_methods.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"

/// Re-verifies a plan. Nothing of the analysis is used: work is summed segment by segment
/// along the pattern of Lemmas 5.2 and 5.4, and no recurrence is solved. A claimed bound t is easy
/// to prove: if the right-hand side at t is at most t, the least fixed point is at most t, too.
namespace tactus::rtgpu {
namespace {

constexpr std::size_t kAlone = static_cast<std::size_t>(-1);

struct JobPart {
  std::size_t on = kAlone;  ///< cores first, then buses (or the one accelerator)
  Time upper, lower;
  std::string_view kind;
  NodeIndex node = 0;  ///< the first it stands for
  std::optional<Time> claimed;
};

struct Job {
  Time period, deadline;
  std::vector<JobPart> parts;
};

/// The entry of a measured curve that a share of `sms` uses: the shortest that fits; if several are
/// equal, the narrowest. Null if none fits.
const TimesEntry* entry_in_use(const Node& node, std::int64_t sms) {
  const TimesEntry* used = nullptr;
  // NOLINTNEXTLINE(modernize-loop-convert): clang 14 cannot compile the library's reverse view
  for (auto entry = node.times.rbegin(); entry != node.times.rend(); ++entry) {
    if (entry->units > sms) continue;
    if (used == nullptr || entry->wcet <= used->wcet) used = &*entry;
  }
  return used;
}

/// No plan gives the width of a best-effort kernel: its longest entry counts.
JobPart best_effort_part(const Node& node) {
  JobPart part;
  for (const TimesEntry& entry : node.times) part.upper = std::max(part.upper, entry.wcet);
  return part;
}

/// How many SMs a kernel runs on, of the `sms` of its task.
std::int64_t units_in_use(const Node& node, const Element& gpu, std::int64_t sms) {
  if (!node.times.empty()) return entry_in_use(node, sms)->units;
  if (node.load) return sms;
  return gpu.lanes > 1 ? 1 : node.parallelism.value_or(1);
}

/// Lemma 5.1 as printed.
JobPart kernel_part(const Kernel& kernel, std::int64_t sms, bool interleaved) {
  JobPart part;
  if (kernel.kind == Kernel::Kind::kRigid) {
    part.upper = kernel.work;
    part.lower = kernel.work_min;
    return part;
  }
  constexpr __int128 kMillion = 1'000'000;
  const __int128 alpha = interleaved ? kernel.alpha : kMillion;
  const __int128 virtual_sms = interleaved ? 2 * static_cast<__int128>(sms) : sms;
  const __int128 shared = kernel.work.ns() * alpha - kernel.overhead.ns() * kMillion;
  __int128 quotient = shared / (virtual_sms * kMillion);
  if (quotient * virtual_sms * kMillion != shared) ++quotient;
  part.upper = kernel.overhead + Time::from_ns(static_cast<std::int64_t>(quotient));
  part.lower = Time::from_ns(static_cast<std::int64_t>(kernel.work_min.ns() / virtual_sms));
  return part;
}

/// The work of one job pattern that starts at its h-th segment on the resource, in a window t.
Time work_from(const std::vector<Time>& e, const std::vector<Time>& inner, Time first_to_second,
               Time later, std::size_t h, Time t) {
  Time done, elapsed;
  for (std::size_t j = h;; ++j) {
    const std::size_t p = e.size(), k = j % p;
    const Time gap = k != p - 1 ? inner[k] : j == p - 1 ? first_to_second : later;
    if (elapsed + e[k] + gap > t) return done + std::min(e[k], t - elapsed);
    elapsed += e[k] + gap;
    done += e[k];
  }
}

/// W(t) of a job on a resource, by plain sums along the pattern of each entry.
Time work_of(const Job& job, std::size_t resource, Time t) {
  std::vector<Time> e, inner;
  Time head, since, sum;
  for (const JobPart& part : job.parts) {
    if (part.on != resource || part.upper == Time()) {
      since += part.lower;
      continue;
    }
    if (e.empty()) {
      head = since;
    } else {
      inner.push_back(since);
      sum += since;
    }
    since = Time();
    e.push_back(part.upper);
    sum += part.upper;
  }
  if (e.empty()) return Time();
  const Time first_to_second = job.period - job.deadline + since + head;
  const Time later = clamp_at_zero(job.period - sum);
  Time most;
  for (std::size_t h = 0; h < e.size(); ++h) {
    most = std::max(most, work_from(e, inner, first_to_second, later, h, t));
  }
  return most;
}

/// With which of the printed or repaired formulas a plan is compared.
struct Rules {
  bool interleaved = false, joint_bus = false, suspensions = false, busy = false, paper = false;
};

class PlanChecker {
 public:
  PlanChecker(const System& system, const TaskSet& set, const AllocationPlan& plan,
              std::string_view method, std::string_view variant)
      : system_(system), set_(set), plan_(plan) {
    rules_.suspensions = method == kSelfSuspension.id;
    rules_.busy = method == kStgm.id;
    rules_.interleaved = !rules_.suspensions && !rules_.busy;
    rules_.joint_bus = variant == "tight";
    rules_.paper = variant == "paper";
  }

  std::vector<std::string> check() {
    check_counts();
    if (!problems_.empty()) return problems_;
    for (std::size_t k = 0; k < set_.real_time; ++k) check_units(k);
    for (std::size_t k = 0; k < set_.tasks.size(); ++k) jobs_.push_back(job_of(k));
    for (std::size_t k = 0; k < set_.real_time; ++k) {
      const AllocationPlan::Entry& task = plan_.entries[k];
      if (!rules_.busy) check_segments(k);
      if (!task.bound) {
        complain(k, "has no bound");
      } else if (*task.bound > set_.tasks[k].deadline) {
        complain(k, "has a bound beyond its deadline");
      } else if (!proves(k, *task.bound, rules_.joint_bus)) {
        complain(k, "can take longer than its bound");
      }
      if (rules_.interleaved) check_agreement(k);
      if (task.per_copy && !proves(k, *task.per_copy, false)) {
        complain(k, "can take longer than its `paper` bound");
      }
      if (task.whole_job && !proves(k, *task.whole_job, true)) {
        complain(k, "can take longer than its `tight` bound");
      }
    }
    for (std::size_t k = 0; k < set_.real_time && problems_.empty(); ++k) check_least_times(k);
    return problems_;
  }

 private:
  void complain(std::size_t k, std::string_view problem) {
    problems_.push_back(fmt::format("task {} {}", quote(set_.tasks[k].name), problem));
  }

  void check_counts() {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < set_.real_time; ++k) {
      if (plan_.entries[k].priority != set_.tasks[k].priority) {
        complain(k, "has another priority in the system");
      }
    }
    for (std::size_t k = 0; k < set_.real_time && problems_.empty(); ++k) {
      const std::int64_t sms = plan_.entries[k].sms;
      if (sms < set_.tasks[k].min_sms) complain(k, "has fewer SMs than its kernels need");
      sum = checked::add(sum, sms);
    }
    if (sum > set_.sms) {
      problems_.push_back(fmt::format("{} SMs are given, but the gpu has {}", sum, set_.sms));
    }
  }

  /// A bound is stated three times: by the variant, which is one of the other two, of which `tight`
  /// is the lesser.
  void check_agreement(std::size_t k) {
    const AllocationPlan::Entry& task = plan_.entries[k];
    if (task.bound != (rules_.joint_bus ? task.whole_job : task.per_copy)) {
      complain(k, fmt::format("has another bound than its `{}` bound",
                              rules_.joint_bus ? "tight" : "paper"));
    }
    if (task.per_copy && (!task.whole_job || *task.whole_job > *task.per_copy)) {
      complain(k, "has a `tight` bound beyond its `paper` bound");
    }
  }

  /// The chain with the plan's SMs; the accelerator of `self-suspension` is resource `cores`.
  Job job_of(std::size_t k) const {
    const ChainTask& task = set_.tasks[k];
    const std::int64_t sms =
        k < set_.real_time ? plan_.entries[k].sms : std::max<std::int64_t>(1, task.min_sms);
    Job job{task.period, task.deadline, {}};
    for (const Segment& segment : task.chain) {
      const bool cpu = segment.kind == Segment::Kind::kCpu;
      const bool kernel = segment.kind == Segment::Kind::kKernel;
      if (rules_.suspensions && segment.absent()) continue;
      JobPart part;
      const Node& node = system_.tasks[task.index].nodes[task.order[segment.nodes.first]];
      if (kernel && !segment.absent()) {
        part = part_of_kernel(node, segment.kernel, sms, task.best_effort);
      } else {
        part.upper = segment.upper;
        part.lower = segment.lower;
      }
      part.kind = cpu ? "cpu" : kernel ? "gpu" : "copy";
      part.node = task.order[segment.nodes.first];
      if (cpu) part.on = task.best_effort ? kAlone : task.core;
      if (segment.kind == Segment::Kind::kCopy) part.on = set_.cores + segment.bus;
      if (rules_.suspensions && !cpu) {
        part.on = set_.cores;
        part.kind = "suspension";
        if (!job.parts.empty() && job.parts.back().on == part.on) {
          job.parts.back().upper += part.upper;
          job.parts.back().lower += part.lower;
          continue;
        }
      }
      job.parts.push_back(part);
    }
    return job;
  }

  JobPart part_of_kernel(const Node& node, const Kernel& kernel, std::int64_t sms,
                         bool best_effort) const {
    if (node.times.empty()) return kernel_part(kernel, sms, rules_.interleaved);
    if (best_effort) return best_effort_part(node);
    const TimesEntry& entry = *entry_in_use(node, sms);
    JobPart part;
    part.upper = entry.wcet;
    part.lower = entry.bcet;
    return part;
  }

  /// @pre every task has the SMs its kernels need.
  void check_units(std::size_t k) {
    const AllocationPlan::Entry& entry = plan_.entries[k];
    const auto& nodes = system_.tasks[entry.task].nodes;
    for (const KernelUnits& kernel : entry.units) {
      const Node& node = nodes[kernel.node];
      const std::int64_t used = units_in_use(node, system_.platform.elements[node.on], entry.sms);
      if (kernel.units == used) continue;
      complain(k, fmt::format("node {} runs on {} of its {} SMs, the plan says {}",
                              quote(node.name), used, entry.sms, kernel.units));
    }
  }

  /// MR, CR or XR at the claimed t: own time, blocking, and what more urgent tasks can do in t.
  void check_segments(std::size_t k) {
    std::vector<JobPart>& parts = jobs_[k].parts;
    const AllocationPlan::Entry& entry = plan_.entries[k];
    const auto& claimed = entry.segments;
    bool same = parts.size() == claimed.size();
    for (std::size_t i = 0; same && i < parts.size(); ++i) {
      same = parts[i].kind == claimed[i].kind && parts[i].node == entry.nodes(claimed[i]).front();
    }
    if (!same) return complain(k, "has other segments in the system");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::optional<Time> bound = parts[i].claimed = claimed[i].bound;
      if (parts[i].upper == Time()) continue;
      const std::string& name = system_.tasks[entry.task].nodes[parts[i].node].name;
      if (!bound) {
        if (parts[i].on == kAlone) complain(k, fmt::format("node {} has no bound", quote(name)));
        continue;
      }
      Time needed = parts[i].upper;
      if (parts[i].on != kAlone) needed += blocking(k, parts[i].on);
      if (*bound > set_.tasks[k].deadline) {
        complain(k, fmt::format("node {} has a bound beyond the deadline", quote(name)));
        parts[i].claimed.reset();
      } else if (needed > *bound || needed + interference(k, parts[i].on, *bound) > *bound) {
        complain(k, fmt::format("node {} can take longer than its bound", quote(name)));
      } else if (parts[i].on == kAlone ? needed != *bound : entry.bound && *bound > *entry.bound) {
        // Nothing interferes with a kernel, so its time is known; no part exceeds the whole.
        complain(k, fmt::format("node {} has a bound that is too large", quote(name)));
      }
    }
  }

  /// @pre the segments are those of the system.
  void check_least_times(std::size_t k) {
    const auto& claimed = plan_.entries[k].segments;
    for (std::size_t i = 0; i < claimed.size(); ++i) {
      if (claimed[i].lower == jobs_[k].parts[i].lower) continue;
      complain(k, fmt::format("has another least time in segment {}", i + 1));
    }
  }

  Time blocking(std::size_t k, std::size_t resource) const {
    Time longest;
    if (resource < set_.cores) return longest;
    for (std::size_t l = k + 1; l < jobs_.size(); ++l) {
      for (const JobPart& part : jobs_[l].parts) {
        if (part.on == resource) longest = std::max(longest, part.upper);
      }
    }
    return longest;
  }

  Time interference(std::size_t k, std::size_t resource, Time t) const {
    Time sum;
    if (resource == kAlone) return sum;
    if (rules_.suspensions && rules_.paper && resource == set_.cores) return sum;
    for (std::size_t h = 0; h < k; ++h) sum += work_of(jobs_[h], resource, t);
    return sum;
  }

  /// @pre the segments are known. Beyond the deadline nothing is claimed, and sums would be
  /// endless.
  bool proves(std::size_t k, Time t, bool joint_bus) const {
    if (t > set_.tasks[k].deadline) return false;
    return (rules_.busy ? busy_demand(k, t) : demand(k, t, joint_bus)) <= t;
  }

  /// Eqs. 7, 8 and `tight`: per resource the sum of segment bounds, or the demand of the
  /// whole job where that may be used, whichever is less.
  Time demand(std::size_t k, Time t, bool joint_bus) const {
    Time total;
    std::vector<std::size_t> done;
    for (const JobPart& first : jobs_[k].parts) {
      if (first.on == kAlone) total += first.upper;
      if (first.on == kAlone || std::count(done.begin(), done.end(), first.on) != 0) continue;
      done.push_back(first.on);
      Time whole;
      std::optional<Time> by_segments = Time();
      for (const JobPart& part : jobs_[k].parts) {
        if (part.on != first.on || part.upper == Time()) continue;
        whole += part.upper + blocking(k, first.on);
        if (by_segments && part.claimed) {
          *by_segments += *part.claimed;
        } else {
          by_segments.reset();
        }
      }
      const bool joint = first.on < set_.cores || joint_bus;
      if (!joint && !by_segments) return Time::max();
      if (joint) whole += interference(k, first.on, t);
      total += !joint ? *by_segments : by_segments ? std::min(whole, *by_segments) : whole;
    }
    return total;
  }

  /// The recurrence of stgm.
  Time busy_demand(std::size_t k, Time t) const {
    Time sum = occupation(k);
    for (std::size_t h = 0; h < k; ++h) sum += ceil_div(t, jobs_[h].period) * occupation(h);
    return sum;
  }

  Time occupation(std::size_t k) const {
    Time sum;
    for (const JobPart& part : jobs_[k].parts) {
      sum += part.upper;
      if (part.on == kAlone || part.upper == Time() || rules_.paper) continue;
      sum += blocking(k, part.on);
    }
    return sum;
  }

  const System& system_;
  const TaskSet& set_;
  const AllocationPlan& plan_;
  std::vector<std::string> problems_;
  Rules rules_;
  std::vector<Job> jobs_;
};

}  // namespace

std::vector<std::string> check_plan(const System& system, const json::Value& plan) {
  const auto made = make_task_set(system);
  if (!made) return {made.error().reason};
  const auto& set = std::get<TaskSet>(made);
  try {
    const AllocationPlan stated = read_stated_plan(system, set, plan);
    const auto word = [&](std::string_view key) {
      return plan_source::text(plan_source::member(plan, key), key);
    };
    return PlanChecker(system, set, stated, word("method"), word("variant")).check();
  } catch (const plan_source::Malformed& malformed) {
    return {malformed.what()};
  } catch (const OverflowError& error) {
    return {error.what()};
  }
}

}  // namespace tactus::rtgpu
