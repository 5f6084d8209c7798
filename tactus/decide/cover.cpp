#include "tactus/decide/cover.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/decide/standing.hpp"
#include "tactus/methods/chain.hpp"
#include "tactus/methods/gcaps/boost/plan.hpp"
#include "tactus/methods/gcaps/boost/view.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/shared_copies.hpp"
#include "tactus/model/gpu_element.hpp"

namespace tactus::decide {
namespace {

using arbiter::tasks::to_string;

// Where the conditions come from: a page, and words that stand there (tests/decide/cover_test.cpp
// looks them up).
constexpr std::string_view kPartitioned =
    "methods/gcaps.md: One `cpu` element of identical cores, partitioned, preemptive fixed "
    "priority";
constexpr std::string_view kVariantInForce =
    "methods/gcaps.md: `safe-arbiter` assumes `tactusd`; an arbiter serves the runlist updates on "
    "a "
    "core without tasks of the file";
constexpr std::string_view kNotDelayed =
    "arbiter.md: The bounds assume that updates are served on a core without analysed tasks and "
    "are "
    "not delayed there";
constexpr std::string_view kBoostRules =
    "methods/boost.md: `tactusd --protocol boost` keeps these rules";
constexpr std::string_view kHighestRuns =
    "arbiter.md: the active real-time client with the highest priority runs alone";
constexpr std::string_view kLeavesInTime =
    "methods/gcaps.md: d is the longest time from the order to leave until the work that must "
    "leave "
    "is off the GPU: one launch for the tier `gate`, one item for `yield`, 0 for `channel`";
constexpr std::string_view kHoldProtects =
    "methods/boost.md: the thresholds in the file must say \"protected\" for all";
constexpr std::string_view kBestEffortStays =
    "methods/boost.md: The analysis counts best-effort segments as preemptable, so its bounds do "
    "not hold beside best-effort segments of this tier, unless they are at most `preempt_cost` "
    "long";
constexpr std::string_view kOneSegment =
    "arbiter.md: Under `tactus exec` the whole life of the command is one segment";
constexpr std::string_view kWhileItWaits =
    "methods/gcaps.md: what the task does on its CPU while it uses or waits for the GPU";
constexpr std::string_view kOwnKernels =
    "deploy.md: with kernels of its own that take the times of the file";
constexpr std::string_view kLockOfPrograms = "deploy.md: their lock is part of the programs";
constexpr std::string_view kCopiesLeave =
    "format.md: times that were measured alone hold where whoever must leave the GPU leaves with "
    "its copies";
constexpr std::string_view kReleasedInTime =
    "pipelines.md: a job *arrives* every period, and is *released* (ready to run) up to 3 later";
constexpr std::string_view kOffsetsKept =
    "pipelines.md: the offsets of the file must be kept at run time";
constexpr std::string_view kStarted =
    "pipelines.md: its job k is released when job k of `camera` completes";

bool is_gpu_work(const System& system, const Node& node) {
  return system.platform.elements[node.on].kind != ElementKind::kCpu;
}

/// The longest that one node keeps the GPU or a copy engine; nothing where the file does not say.
std::optional<Time> time_of(const System& system, const Task& task, const Node& node) {
  if (system.platform.elements[node.on].kind != ElementKind::kGpu) return node.wcet;
  const auto whole = whole_gpu_time(system, task, node);
  return whole ? std::optional(whole->wcet) : std::nullopt;
}

/// A time of the file, or nothing where it does not say all that is needed.
class Longest {
 public:
  void see(const std::optional<Time>& time) {
    known_ = known_ && time;
    if (time) longest_ = std::max(longest_, *time);
  }
  std::optional<Time> get() const { return known_ ? std::optional(longest_) : std::nullopt; }

 private:
  Time longest_;
  bool known_ = true;
};

/// The longest node on the GPU: what a launch takes at most, where a program has a checkpoint
/// between nodes.
std::optional<Time> longest_node(const System& system, const Task& task) {
  Longest longest;
  for (const Node& node : task.nodes)
    if (is_gpu_work(system, node)) longest.see(time_of(system, task, node));
  return longest.get();
}

/// The longest run of GPU nodes; of a task that is no chain, all of them.
std::optional<Time> longest_segment(const System& system, const Task& task) {
  const auto chain = chain_of(task, "");
  const auto* order = std::get_if<std::vector<NodeIndex>>(&chain);
  Longest longest;
  Time segment;
  for (std::size_t k = 0; k < task.nodes.size(); ++k) {
    const Node& node = task.nodes[order != nullptr ? (*order)[k] : k];
    if (!is_gpu_work(system, node)) {
      if (order != nullptr) segment = Time();
      continue;
    }
    const auto time = time_of(system, task, node);
    if (!time) longest.see(time);
    segment += time.value_or(Time());
    longest.see(segment);
  }
  return longest.get();
}

/// "a, b and 3 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  if (names.size() <= kMost + 1) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kMost, ", "),
                     names.size() - kMost);
}

class CoverJudge {
 public:
  CoverJudge(const System& system, const Verdict& verdict, const Start& start)
      : system_(system), verdict_(verdict), start_(start) {
    boost_ = dynamic_cast<const gcaps::boost::BoostPlan*>(verdict.plan.get());
    plan_ = boost_ != nullptr ? &boost_->priorities
                              : dynamic_cast<const gcaps::PriorityPlan*>(verdict.plan.get());
    entries_.resize(system.tasks.size());
    if (plan_ == nullptr) return;
    for (const auto& entry : plan_->entries) {
      entries_[entry.task] = &entry;
      if (uses_gpu(system, system.tasks[entry.task]))
        most_urgent_ = std::max(most_urgent_.value_or(entry.gpu_priority), entry.gpu_priority);
    }
  }

  std::vector<Condition> all() {
    const Method* const method = find_method(verdict_.method);
    const auto deployment = method != nullptr ? deployment_of(*method) : Error{"there is none"};
    proved(deployment);
    if (deployment && plan_ != nullptr && !start_.tasks.empty()) {
      if (deployment->way == Way::kArbiter) arbitrated();
      if (deployment->way == Way::kLock) locked();
      if (deployment->way != Way::kLock) copies();
      waiting();
      started();
      cores();
      cpu_order();
    } else if (deployment) {
      played();
    }
    real_gpu();
    releases();
    conditions_.insert(conditions_.end(), start_.machine.begin(), start_.machine.end());
    return std::move(conditions_);
  }

 private:
  void add(std::string id, Holds holds, std::string what, std::string_view from, std::string help,
           Whose whose = Whose::kStart) {
    if (holds == Holds::kYes) help.clear();
    conditions_.push_back(
        {std::move(id), std::move(what), holds, std::string(from), std::move(help), whose});
  }
  const std::string& name(TaskIndex task) const { return system_.tasks[task].name; }
  std::string shown(Time time) const {
    return fmt::format("{} {}", format_time(time, system_.time_unit), unit());
  }
  std::string_view unit() const {
    static constexpr std::string_view kNames[] = {"ns", "us", "ms", "s", "units"};
    return kNames[static_cast<std::size_t>(system_.time_unit)];
  }
  bool on_gpu(TaskIndex task) const { return uses_gpu(system_, system_.tasks[task]); }

  void proved(const Result<Deployment>& deployment) {
    if (verdict_.status != Status::kSchedulable)
      add("proof", Holds::kNo, "the plan does not prove every deadline", kPartitioned,
          "tactus advise says what would be proved");
    if (!deployment) return;
    const bool same = describes(*deployment, verdict_.variant);
    add("variant", same ? Holds::kYes : Holds::kNo,
        same ? fmt::format("the variant {} describes what is started", verdict_.variant)
             : fmt::format("the plan is of the variant {}; what is started is described by {}",
                           verdict_.variant, deployment->variant),
        kVariantInForce, fmt::format("make the plan with --variant {}", deployment->variant));
  }

  void arbitrated() {
    protocol();
    arbiter_core();
    segments();
    gpu_priorities();
    if (boost_ != nullptr) {
      thresholds();
      best_effort_segments();
    } else {
      leaves();
    }
  }

  void protocol() {
    const std::string_view wanted = boost_ != nullptr ? "boost" : "gcaps";
    const auto from = boost_ != nullptr ? kBoostRules : kVariantInForce;
    const std::string help = fmt::format("start tactusd --protocol {}", wanted);
    if (!start_.arbiter) return add("arbiter", Holds::kNo, "there is no arbiter", from, help);
    const bool same = start_.arbiter->boost == (boost_ != nullptr);
    add("arbiter", same ? Holds::kYes : Holds::kNo,
        same ? fmt::format("an arbiter with the protocol {} decides", wanted)
             : fmt::format("the arbiter does not have the protocol {}", wanted),
        from, help);
  }

  void arbiter_core() {
    if (!start_.arbiter) return;
    const ArbiterStart& arbiter = *start_.arbiter;
    std::vector<std::string> there;
    for (TaskIndex i = 0; i < start_.tasks.size(); ++i) {
      const auto& cpus = start_.tasks[i].cpus;
      // The bounds of boost may say which core the arbiter shares.
      if (boost_ != nullptr && plan_->cores[i] == shared_core()) continue;
      if (arbiter.cpu && cpus && cpus->contains(*arbiter.cpu)) there.push_back(name(i));
    }
    std::string found = "the arbiter has a CPU without tasks, above everything there";
    if (!arbiter.cpu) {
      found = "the arbiter has no CPU of its own";
    } else if (!there.empty()) {
      found = fmt::format("on the arbiter's CPU {} may run, too: {}", *arbiter.cpu, listed(there));
    } else if (arbiter.fifo == 0) {
      found =
          fmt::format("the arbiter on CPU {} is not SCHED_FIFO: others may delay it", *arbiter.cpu);
    }
    const bool good = arbiter.cpu && there.empty() && arbiter.fifo > 0;
    add("arbiter-core", good ? Holds::kYes : Holds::kNo, found, kNotDelayed,
        "give it a CPU of its own (--cpus, `arbiter_core`) and SCHED_FIFO (without --no-realtime)");
  }
  std::int64_t shared_core() const {
    const Element* const gpu = gpu_of(system_);
    return gpu != nullptr && gpu->arbiter_core ? *gpu->arbiter_core : 0;
  }

  void segments() {
    std::vector<std::string> whole, unseen;
    for (TaskIndex i = 0; i < start_.tasks.size(); ++i) {
      if (entries_[i] == nullptr || !on_gpu(i)) continue;
      const auto& marks = start_.tasks[i].marks_segments;
      if (marks == false) whole.push_back(name(i));
      if (!marks) unseen.push_back(name(i));
    }
    if (!whole.empty())
      return add("segments", Holds::kNo,
                 fmt::format("the whole program is one GPU segment: {}", listed(whole)),
                 kOneSegment, "mark the segments in the program, and use --tier gate or channel");
    add("segments", unseen.empty() ? Holds::kYes : Holds::kNotKnown,
        unseen.empty()
            ? "every real-time program marks its GPU segments"
            : fmt::format("that these programs mark their GPU segments, with the "
                          "priority{} of the plan: {}",
                          boost_ != nullptr ? " and the thresholds" : "", listed(unseen)),
        kOneSegment, "tactus/client.h; tactus doctor --running sees it", Whose::kProgram);
  }

  void gpu_priorities() {
    std::vector<std::string> wrong, unseen;
    for (TaskIndex i = 0; i < start_.tasks.size(); ++i) {
      if (!on_gpu(i)) continue;
      const TaskStart& start = start_.tasks[i];
      if (!start.best_effort) {
        unseen.push_back(name(i));
      } else if (*start.best_effort != (entries_[i] == nullptr) ||
                 (entries_[i] != nullptr && start.priority != entries_[i]->gpu_priority)) {
        wrong.push_back(fmt::format("{} {}", name(i),
                                    *start.best_effort
                                        ? std::string("best effort")
                                        : fmt::format("{}", start.priority.value_or(0))));
      }
    }
    const Holds holds = !wrong.empty()    ? Holds::kNo
                        : !unseen.empty() ? Holds::kNotKnown
                                          : Holds::kYes;
    add("gpu-priority", holds,
        !wrong.empty()    ? "GPU priorities are not those of the plan: " + listed(wrong)
        : !unseen.empty() ? "that these have the GPU priorities of the plan: " + listed(unseen)
                          : "GPU priorities are those of the plan",
        kHighestRuns, "start each program with the TACTUS_SEGMENT_PRIORITY of the plan",
        holds == Holds::kNotKnown ? Whose::kProgram : Whose::kStart);
  }

  /// gcaps: what is told to leave is off after `preemption_delay`.
  void leaves() {
    if (!most_urgent_) return;
    const Element* const gpu = gpu_of(system_);
    const Time promised = gpu != nullptr ? gpu->preemption_delay.value_or(Time()) : Time();
    std::vector<std::string> late, unseen;
    Time longest;
    for (TaskIndex i = 0; i < start_.tasks.size(); ++i) {
      const TaskStart& start = start_.tasks[i];
      const bool told =
          on_gpu(i) && (entries_[i] == nullptr || entries_[i]->gpu_priority < *most_urgent_);
      if (!told || start.tier == Tier::kChannel || is_stopped(start)) continue;
      const auto time = start.leaves_in ? start.leaves_in : longest_node(system_, system_.tasks[i]);
      if (!start.tier || !time) {
        unseen.push_back(name(i));
      } else if (*time > promised) {
        late.push_back(fmt::format("{} {} (tier {})", name(i),
                                   format_time(*time, system_.time_unit), to_string(*start.tier)));
        longest = std::max(longest, *time);
      }
    }
    if (late.empty() && unseen.empty())
      return add("leaves", Holds::kYes,
                 fmt::format("what must leave the GPU is off after {}, the file's preemption_delay",
                             shown(promised)),
                 kLeavesInTime, "");
    if (late.empty())
      return add("leaves", Holds::kNotKnown, "how long these take to leave: " + listed(unseen),
                 kLeavesInTime, "tactus top --costs shows it");
    add("leaves", Holds::kNo,
        fmt::format("what must leave takes longer than the file's preemption_delay {}: {}",
                    shown(promised), listed(late)),
        kLeavesInTime,
        fmt::format("set preemption_delay of the gpu to {} and make the plan again; divide the "
                    "node where its program has a checkpoint; or a plan of gcaps.boost with --tier "
                    "channel",
                    format_time(longest, system_.time_unit)));
  }

  /// Stopping a process stops its work only where that is not on a GPU.
  bool is_stopped(const TaskStart& start) const {
    return start.tier == Tier::kProcess && !start_.real_gpu;
  }
  bool is_taken_off(const TaskStart& start) const {
    return start.tier == Tier::kChannel || start.tier == Tier::kYield || is_stopped(start);
  }

  /// boost: a segment that the plan takes off can be taken off.
  void thresholds() {
    std::vector<std::string> stay, unseen, other;
    for (TaskIndex i = 0; i < start_.tasks.size(); ++i) {
      const TaskStart& start = start_.tasks[i];
      const auto& own = boost_->thresholds[i];
      const auto least = std::min_element(own.begin(), own.end());
      if (entries_[i] == nullptr || least == own.end()) continue;
      if (*least < *most_urgent_) {
        if (!start.tier) unseen.push_back(name(i));
        if (start.tier && !is_taken_off(start))
          stay.push_back(fmt::format("{} (threshold {}, tier {}{})", name(i), *least,
                                     to_string(*start.tier),
                                     start.why_tier.empty() ? "" : ": " + start.why_tier));
      }
      // Above the most urgent task all thresholds are the same.
      const auto same = [&](std::int64_t threshold) {
        return std::min(threshold, *most_urgent_) == std::min(*start.threshold, *most_urgent_);
      };
      if (start.threshold && is_taken_off(start) && std::none_of(own.begin(), own.end(), same))
        other.push_back(fmt::format("{} {}", name(i), *start.threshold));
    }
    const Holds holds = !stay.empty() || !other.empty() ? Holds::kNo
                        : !unseen.empty()               ? Holds::kNotKnown
                                                        : Holds::kYes;
    add("thresholds", holds,
        !stay.empty()     ? "the plan takes these segments off, and they stay: " + listed(stay)
        : !other.empty()  ? "these segments have other thresholds: " + listed(other)
        : !unseen.empty() ? "whether these segments can be taken off: " + listed(unseen)
                          : "every segment that the plan takes off can be taken off",
        kHoldProtects,
        "start it with --tier channel; or a plan that takes nothing off: without `gpu_threshold` "
        "in "
        "the file, with --thresholds never");
  }

  /// boost: best effort leaves, or is as short as taking it off.
  void best_effort_segments() {
    if (!most_urgent_) return;
    const Element* const gpu = gpu_of(system_);
    if (gpu == nullptr) return;
    const Time off = gcaps::boost::costs_of(*gpu).off;
    std::vector<std::string> stay, unseen;
    for (TaskIndex i = 0; i < start_.tasks.size(); ++i) {
      const TaskStart& start = start_.tasks[i];
      if (entries_[i] != nullptr || !on_gpu(i)) continue;
      const auto time = longest_segment(system_, system_.tasks[i]);
      if (is_taken_off(start)) continue;
      if (!start.tier || !time) {
        unseen.push_back(name(i));
      } else if (*time > off) {
        stay.push_back(fmt::format("{} {} (tier {}{})", name(i),
                                   format_time(*time, system_.time_unit), to_string(*start.tier),
                                   start.why_tier.empty() ? "" : ": " + start.why_tier));
      }
    }
    const Holds holds = !stay.empty()     ? Holds::kNo
                        : !unseen.empty() ? Holds::kNotKnown
                                          : Holds::kYes;
    add("best-effort", holds,
        !stay.empty()
            ? fmt::format("best-effort segments stay longer than the preempt_cost {} that "
                          "the bounds count: {}",
                          shown(off), listed(stay))
        : !unseen.empty()
            ? "how long these best-effort segments stay: " + listed(unseen)
            : fmt::format("best-effort work is off after the preempt_cost {} of the bounds",
                          shown(off)),
        kBestEffortStays,
        "start it with --tier channel, or set preempt_cost of the gpu to the "
        "longest best-effort segment and make the plan again");
  }

  /// Is it off the GPU together with its copies?
  std::optional<bool> leaves_with_copies(const TaskStart& start) const {
    if (!start_.arbiter) return false;
    if (!start.tier) return std::nullopt;
    switch (*start.tier) {
      case Tier::kChannel:
        return start.takes_copies_off;
      case Tier::kGate:  // it waits for all that it has launched
      case Tier::kHold:  // others wait for all of it
        return true;
      case Tier::kYield:
        return start_.own_programs;  // which do not copy
      case Tier::kProcess:
        return is_stopped(start);
    }
    return std::nullopt;
  }

  void copies() {
    const auto alone = copies_measured_alone(system_);
    if (alone.empty()) return;
    std::vector<std::string> stay, unseen, measured;
    for (const CopiesMeasuredAlone& found : alone) measured.push_back(found.text());
    for (TaskIndex i = 0; i < start_.tasks.size(); ++i) {
      const bool meets = std::any_of(alone.begin(), alone.end(), [&](const auto& found) {
        return copies_on(system_.tasks[i], found.element);
      });
      // Nobody takes the most urgent one off.
      const bool never = start_.arbiter && entries_[i] != nullptr && meets &&
                         entries_[i]->gpu_priority >= *most_urgent_;
      if (!meets || never) continue;
      const auto leaves = leaves_with_copies(start_.tasks[i]);
      if (!leaves) unseen.push_back(name(i));
      if (leaves == false) stay.push_back(name(i));
    }
    const Holds holds = !stay.empty()     ? Holds::kNo
                        : !unseen.empty() ? Holds::kNotKnown
                                          : Holds::kYes;
    add("copies", holds,
        !stay.empty()
            ? fmt::format(
                  "times of copies were measured alone ({}), and copies of these go on beside "
                  "them: {}",
                  listed(measured), listed(stay))
        : !unseen.empty() ? "whether these leave the GPU with their copies: " + listed(unseen)
                          : "whoever must leave the GPU leaves with its copies",
        kCopiesLeave,
        "--tier channel, without TACTUS_CHANNEL_COPIES=no; or measure beside copies (tactus "
        "measure "
        "--enemies copies)");
  }

  void locked() {
    if (start_.own_programs)
      return add("lock", Holds::kYes, "every program takes the plan's lock around its GPU work",
                 kLockOfPrograms, "", Whose::kProgram);
    add("lock", Holds::kNotKnown, "that every program takes the plan's lock around its GPU work",
        kLockOfPrograms, "only tactus run has it", Whose::kProgram);
  }

  void waiting() {
    if (plan_->waiting != gcaps::Mode::kBusy || !most_urgent_) return;
    if (start_.own_programs)
      return add("waiting", Holds::kYes, "programs keep their core while the GPU works for them",
                 kWhileItWaits, "", Whose::kProgram);
    add("waiting", Holds::kNotKnown, "that programs keep their core while the GPU works for them",
        kWhileItWaits,
        "tactus_set_waiting(TACTUS_BUSY), and wait for kernels busily (cudaDeviceScheduleSpin)",
        Whose::kProgram);
  }

  void started() {
    std::vector<std::string> missing;
    for (TaskIndex i = 0; i < start_.tasks.size(); ++i)
      if (!start_.tasks[i].there) missing.push_back(name(i));
    if (!missing.empty())
      add("started", Holds::kNotKnown, "no process of these tasks is seen: " + listed(missing),
          kPartitioned, "start them; as root, processes of every user are seen");
  }

  /// Each core is one CPU, and no two cores are the same.
  void cores() {
    std::vector<std::string> astray, unseen;
    std::map<std::int64_t, int> cpu_of;
    std::map<int, std::int64_t> core_of;
    for (TaskIndex i = 0; i < start_.tasks.size(); ++i) {
      const auto& cpus = start_.tasks[i].cpus;
      if (!start_.tasks[i].there) continue;
      if (!cpus) {
        unseen.push_back(name(i));
      } else if (cpus->size() != 1 ||
                 cpu_of.try_emplace(plan_->cores[i], *cpus->begin()).first->second !=
                     *cpus->begin() ||
                 core_of.try_emplace(*cpus->begin(), plan_->cores[i]).first->second !=
                     plan_->cores[i]) {
        astray.push_back(name(i));
      }
    }
    const Holds holds = !astray.empty()   ? Holds::kNo
                        : !unseen.empty() ? Holds::kNotKnown
                                          : Holds::kYes;
    add("cores", holds,
        !astray.empty()   ? "not alone on one CPU per core of the plan: " + listed(astray)
        : !unseen.empty() ? "on which CPUs these run: " + listed(unseen)
                          : "every task is on the CPU of its core, and each core has its own",
        kPartitioned, "name a CPU of its own for every core (--cpus)");
  }

  /// Tasks of one core have SCHED_FIFO priorities in the order of the plan.
  void cpu_order() {
    std::vector<std::string> wrong, unseen;
    const auto look = [&](TaskIndex i, TaskIndex j) {  // i is more urgent
      const auto &above = start_.tasks[i].fifo, &below = start_.tasks[j].fifo;
      if (!start_.tasks[i].there || !start_.tasks[j].there) return;
      if (!above || !below) {
        unseen.push_back(name(i));
      } else if (*above <= *below) {
        wrong.push_back(fmt::format("{} above {}", name(i), name(j)));
      }
    };
    for (TaskIndex i = 0; i < start_.tasks.size(); ++i) {
      for (TaskIndex j = 0; j < start_.tasks.size(); ++j) {
        if (i == j || entries_[i] == nullptr || plan_->cores[i] != plan_->cores[j]) continue;
        if (entries_[j] == nullptr || entries_[i]->priority > entries_[j]->priority) look(i, j);
      }
    }
    const Holds holds = !wrong.empty()    ? Holds::kNo
                        : !unseen.empty() ? Holds::kNotKnown
                                          : Holds::kYes;
    add("cpu-order", holds,
        !wrong.empty()    ? "tasks of one core are not in the order of the plan: " + listed(wrong)
        : !unseen.empty() ? "in which order tasks of one core run: " + listed(unseen)
                          : "tasks of one core run in the order of the plan",
        kPartitioned,
        "SCHED_FIFO priorities in that order (without --no-realtime; run: --realtime)");
  }

  void played() {
    add("own-kernels", Holds::kNotKnown,
        "that your kernels take no longer than the file says: one program plays the plan with its "
        "own",
        kOwnKernels, "link the library (docs/inside/library.md), and play your own",
        Whose::kProgram);
  }

  void real_gpu() {
    if (start_.real_gpu) return;
    add("real-gpu", Holds::kNo, "GPU work is not done on a GPU", kOwnKernels,
        "--tier gate or channel; --backend cuda");
  }

  /// That jobs are released as the file says. Nobody sees that of programs of others before they run;
  /// tactus's own do it, and count what is outside of the model.
  void releases() {
    const bool own = start_.own_programs || start_.tasks.empty();
    const Holds known = own ? Holds::kYes : Holds::kNotKnown;
    const auto add_of_programs = [&](const char* id, const std::vector<std::string>& whose,
                                     std::string_view what, std::string_view from,
                                     std::string_view help) {
      if (whose.empty()) return;
      add(id, known, (own ? "seen to by this program: " : "") + std::string(what) + listed(whose),
          from, std::string(help), Whose::kProgram);
    };
    std::vector<std::string> late, started, astray, fixed;
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i) {
      const Task& task = system_.tasks[i];
      if (task.jitter > Time() && !task.best_effort) late.push_back(task.name);
      if (!task.after) continue;
      const auto told = own ? std::nullopt : start_.tasks[i].after;
      const std::string right = system_.name + "/" + system_.tasks[*task.after].name;
      (told && told != right ? astray : started).push_back(task.name);
    }
    for (const Chain& chain : system_.chains)
      if (chain.phases == Chain::Phases::kFixed) fixed.push_back(chain.name);
    if (!astray.empty())
      add("after", Holds::kNo, "these are not told whose end starts them: " + listed(astray),
          kStarted, "TACTUS_PATHS and TACTUS_AFTER, as `tactus deploy` sets them");
    if (astray.empty())
      add_of_programs("after", started,
                      "that these start when the task before them has ended: ", kStarted,
                      "tactus_path_wait, tactus_path_ended (tactus/client.h)");
    add_of_programs("jitter", late, "that jobs of these are released in time: ", kReleasedInTime,
                    "watch how late their releases are (tactus_path_releases)");
    add_of_programs("phases", fixed,
                    "that the tasks of these chains keep their offsets: ", kOffsetsKept,
                    "count arrivals from one instant in all programs (tactus_next_arrival), or say "
                    "\"phases\": \"any\"");
  }

  const System& system_;
  const Verdict& verdict_;
  const Start& start_;
  const gcaps::boost::BoostPlan* boost_ = nullptr;
  const gcaps::PriorityPlan* plan_ = nullptr;
  std::vector<const gcaps::PriorityPlan::Entry*> entries_;  ///< by task; null: best effort
  std::optional<std::int64_t> most_urgent_;                 ///< GPU priority of all that use it
  std::vector<Condition> conditions_;
};

}  // namespace

std::string_view to_string(Holds holds) {
  switch (holds) {
    case Holds::kYes:
      return "yes";
    case Holds::kNo:
      return "no";
    case Holds::kNotKnown:
      return "not known";
  }
  return {};
}

std::string_view to_string(Whose whose) {
  switch (whose) {
    case Whose::kStart:
      return "start";
    case Whose::kMachine:
      return "machine";
    case Whose::kProgram:
      return "program";
  }
  return {};
}

std::vector<Condition> judge(const System& system, const Verdict& plan, const Start& start) {
  return CoverJudge(system, plan, start).all();
}

Holds conclusion(const std::vector<Condition>& conditions) {
  Holds worst = Holds::kYes;
  for (const Condition& condition : conditions) {
    if (condition.holds == Holds::kNo) return Holds::kNo;
    if (condition.holds == Holds::kNotKnown && condition.whose != Whose::kProgram)
      worst = Holds::kNotKnown;
  }
  return worst;
}

}  // namespace tactus::decide
