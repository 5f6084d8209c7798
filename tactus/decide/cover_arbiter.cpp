#include <fmt/core.h>

#include <algorithm>

#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/decide/cover_case.hpp"
#include "tactus/methods/chain.hpp"
#include "tactus/methods/gcaps/boost/view.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/shared_copies.hpp"
#include "tactus/model/gpu_element.hpp"

namespace tactus::decide {
namespace {

using arbiter::tasks::to_string;

// Where the conditions come from: a page, and words that stand there (tests/decide/cover_test.cpp
// looks them up).
constexpr std::string_view kNotDelayed =
    "arbiter.md: The bounds assume that updates are served on a core without analysed tasks and "
    "are not delayed there";
constexpr std::string_view kBoostRules =
    "methods/boost.md: `tactusd --protocol boost` keeps these rules";
constexpr std::string_view kHighestRuns =
    "arbiter.md: the active real-time client with the highest priority runs alone";
constexpr std::string_view kLeavesInTime =
    "format.md: d, the longest time from the order to leave until the work that must leave is off "
    "the GPU";
constexpr std::string_view kHoldProtects =
    "methods/boost.md: the thresholds in the file must say \"protected\" for all";
constexpr std::string_view kBestEffortStays =
    "methods/boost.md: The analysis counts best-effort segments as preemptable, so its bounds do "
    "not hold beside best-effort segments of this tier, unless they are at most `preempt_cost` "
    "long";
constexpr std::string_view kOneSegment =
    "arbiter.md: Under `tactus exec` without `--auto` the whole life of the command is one segment";
constexpr std::string_view kCopiesLeave =
    "format.md: times that were measured alone hold where whoever must leave the GPU leaves with "
    "its copies";

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

/// Stopping a process stops its work only where that is not on a GPU.
bool is_stopped(const CoverCase& one, const TaskStart& start) {
  return start.tier == Tier::kProcess && !one.start.real_gpu;
}
bool is_taken_off(const CoverCase& one, const TaskStart& start) {
  return start.tier == Tier::kChannel || start.tier == Tier::kYield || is_stopped(one, start);
}

std::string tier_of(const TaskStart& start) {
  return fmt::format("tier {}{}{}", to_string(*start.tier), start.why_tier.empty() ? "" : ": ",
                     start.why_tier);
}

void protocol(CoverCase& one) {
  const bool boost = one.boost != nullptr;
  const std::string_view wanted = boost ? "boost" : "gcaps";
  const auto& arbiter = one.start.arbiter;
  const bool same = arbiter && arbiter->boost == boost;
  one.add("arbiter", same ? Holds::kYes : Holds::kNo,
          !arbiter ? "there is no arbiter"
          : same   ? fmt::format("an arbiter with the protocol {} decides", wanted)
                   : fmt::format("the arbiter does not have the protocol {}", wanted),
          boost ? kBoostRules : kVariantInForce,
          fmt::format("start tactusd --protocol {}", wanted));
}

void arbiter_core(CoverCase& one) {
  if (!one.start.arbiter) return;
  const ArbiterStart& arbiter = *one.start.arbiter;
  const Element* const gpu = gpu_of(one.system);
  const std::int64_t shared = gpu != nullptr ? gpu->arbiter_core.value_or(0) : 0;
  std::vector<std::string> there;
  for (TaskIndex i = 0; i < one.start.tasks.size(); ++i) {
    const auto& cpus = one.start.tasks[i].cpus;
    // The bounds of boost may say which core the arbiter shares.
    if (one.boost != nullptr && one.plan->cores[i] == shared) continue;
    if (arbiter.cpu && cpus && cpus->contains(*arbiter.cpu)) there.push_back(one.name(i));
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
  one.add(
      "arbiter-core", good ? Holds::kYes : Holds::kNo, found, kNotDelayed,
      "give it a CPU of its own (--cpus, `arbiter_core`) and SCHED_FIFO (without --no-realtime)");
}

void segments(CoverCase& one) {
  Tasks found;
  for (TaskIndex i = 0; i < one.start.tasks.size(); ++i) {
    if (one.entries[i] == nullptr || !one.on_gpu(i)) continue;
    const auto& marks = one.start.tasks[i].marks_segments;
    if (marks == false) found.others.push_back(one.name(i));
    if (!marks) found.unseen.push_back(one.name(i));
  }
  const bool whole = found.holds() == Holds::kNo;
  one.add("segments", found.holds(),
          found.say("the whole program is one GPU segment: ",
                    fmt::format("that these programs mark their GPU segments, with the priority{} "
                                "of the plan: ",
                                one.boost != nullptr ? " and the thresholds" : ""),
                    "every real-time program marks its GPU segments"),
          kOneSegment,
          whole ? "mark the segments in the program, and use --tier gate or channel"
                : "tactus/client.h; tactus doctor --running sees it",
          whole ? Whose::kStart : Whose::kProgram);
}

void gpu_priorities(CoverCase& one) {
  Tasks found;
  for (TaskIndex i = 0; i < one.start.tasks.size(); ++i) {
    if (!one.on_gpu(i)) continue;
    const TaskStart& start = one.start.tasks[i];
    const auto* const entry = one.entries[i];
    if (!start.best_effort) {
      found.unseen.push_back(one.name(i));
    } else if (*start.best_effort != (entry == nullptr) ||
               (entry != nullptr && start.priority != entry->gpu_priority)) {
      found.others.push_back(one.name(i) + " " +
                             (*start.best_effort ? std::string("best effort")
                                                 : std::to_string(start.priority.value_or(0))));
    }
  }
  one.add("gpu-priority", found.holds(),
          found.say("GPU priorities are not those of the plan: ",
                    "that these have the GPU priorities of the plan: ",
                    "GPU priorities are those of the plan"),
          kHighestRuns, "start each program with the TACTUS_SEGMENT_PRIORITY of the plan",
          found.holds() == Holds::kNotKnown ? Whose::kProgram : Whose::kStart);
}

/// gcaps: what is told to leave is off after `preemption_delay`.
void leaves(CoverCase& one) {
  if (!one.most_urgent) return;
  const Element* const gpu = gpu_of(one.system);
  const Time promised = gpu != nullptr ? gpu->preemption_delay.value_or(Time()) : Time();
  Tasks found;
  Time longest;
  for (TaskIndex i = 0; i < one.start.tasks.size(); ++i) {
    const TaskStart& start = one.start.tasks[i];
    const auto* const entry = one.entries[i];
    const bool told = one.on_gpu(i) && (entry == nullptr || entry->gpu_priority < *one.most_urgent);
    if (!told || start.tier == Tier::kChannel || is_stopped(one, start)) continue;
    const auto time =
        start.leaves_in ? start.leaves_in : longest_node(one.system, one.system.tasks[i]);
    if (!start.tier || !time) {
      found.unseen.push_back(one.name(i));
    } else if (*time > promised) {
      found.others.push_back(fmt::format("{} {} (tier {})", one.name(i),
                                         format_time(*time, one.system.time_unit),
                                         to_string(*start.tier)));
      longest = std::max(longest, *time);
    }
  }
  const std::string delay = one.shown(promised);
  one.add("leaves", found.holds(),
          found.say(fmt::format("what must leave takes longer than the file's preemption_delay "
                                "{}: ",
                                delay),
                    "how long these take to leave: ",
                    fmt::format("what must leave the GPU is off after {}, the file's "
                                "preemption_delay",
                                delay)),
          kLeavesInTime,
          found.holds() == Holds::kNotKnown
              ? "tactus top --costs shows it"
              : fmt::format("set preemption_delay of the gpu to {} and make the plan again; divide "
                            "the node where its program has a checkpoint; or a plan of gcaps.boost "
                            "with --tier channel",
                            format_time(longest, one.system.time_unit)));
}

/// boost: a segment that the plan takes off can be taken off, by those for whom the plan does.
void thresholds(CoverCase& one) {
  Tasks stay, other;
  for (TaskIndex i = 0; i < one.start.tasks.size(); ++i) {
    const TaskStart& start = one.start.tasks[i];
    const auto& own = one.boost->thresholds[i];
    const auto least = std::min_element(own.begin(), own.end());
    if (one.entries[i] == nullptr || least == own.end()) continue;
    if (*least < *one.most_urgent) {
      if (!start.tier) stay.unseen.push_back(one.name(i));
      if (start.tier && !is_taken_off(one, start))
        stay.others.push_back(
            fmt::format("{} (threshold {}, {})", one.name(i), *least, tier_of(start)));
    }
    // Above the most urgent task all thresholds are the same.
    const auto same = [&](std::int64_t threshold) {
      return std::min(threshold, *one.most_urgent) == std::min(*start.threshold, *one.most_urgent);
    };
    if (start.threshold && is_taken_off(one, start) && std::none_of(own.begin(), own.end(), same))
      other.others.push_back(fmt::format("{} {}", one.name(i), *start.threshold));
  }
  const Tasks& worse = stay.others.empty() && !other.others.empty() ? other : stay;
  one.add("thresholds", worse.holds(),
          worse.say(&worse == &stay ? "the plan takes these segments off, and they stay: "
                                    : "these segments have other thresholds: ",
                    "whether these segments can be taken off: ",
                    "every segment that the plan takes off can be taken off"),
          kHoldProtects,
          "start it with --tier channel; or a plan that takes nothing off: without `gpu_threshold` "
          "in the file, with --thresholds never");
}

/// boost: best effort leaves, or is as short as taking it off.
void best_effort_segments(CoverCase& one) {
  const Element* const gpu = gpu_of(one.system);
  if (!one.most_urgent || gpu == nullptr) return;
  const Time off = gcaps::boost::costs_of(*gpu).off;
  Tasks found;
  for (TaskIndex i = 0; i < one.start.tasks.size(); ++i) {
    const TaskStart& start = one.start.tasks[i];
    if (one.entries[i] != nullptr || !one.on_gpu(i) || is_taken_off(one, start)) continue;
    const auto time = longest_segment(one.system, one.system.tasks[i]);
    if (!start.tier || !time) {
      found.unseen.push_back(one.name(i));
    } else if (*time > off) {
      found.others.push_back(fmt::format("{} {} ({})", one.name(i),
                                         format_time(*time, one.system.time_unit), tier_of(start)));
    }
  }
  const std::string cost = one.shown(off);
  one.add("best-effort", found.holds(),
          found.say(
              fmt::format("best-effort segments stay longer than the preempt_cost {} that "
                          "the bounds count: ",
                          cost),
              "how long these best-effort segments stay: ",
              fmt::format("best-effort work is off after the preempt_cost {} of the bounds", cost)),
          kBestEffortStays,
          "start it with --tier channel, or set preempt_cost of the gpu to the longest best-effort "
          "segment and make the plan again");
}

/// Is it off the GPU together with its copies?
std::optional<bool> leaves_with_copies(const CoverCase& one, const TaskStart& start) {
  if (!one.start.arbiter) return false;
  if (!start.tier) return std::nullopt;
  switch (*start.tier) {
    case Tier::kChannel:
      return start.takes_copies_off;
    case Tier::kGate:  // it waits for all that it has launched
    case Tier::kHold:  // others wait for all of it
      return true;
    case Tier::kYield:
      return one.start.own_programs;  // which do not copy
    case Tier::kProcess:
      return is_stopped(one, start);
  }
  return std::nullopt;
}

}  // namespace

void judge_arbitrated(CoverCase& one) {
  protocol(one);
  arbiter_core(one);
  segments(one);
  gpu_priorities(one);
  if (one.boost != nullptr) {
    thresholds(one);
    best_effort_segments(one);
  } else {
    leaves(one);
  }
}

void judge_copies(CoverCase& one) {
  const auto alone = copies_measured_alone(one.system);
  if (alone.empty()) return;
  std::vector<std::string> measured;
  measured.reserve(alone.size());
  for (const CopiesMeasuredAlone& copies : alone) measured.push_back(copies.text());
  Tasks found;
  for (TaskIndex i = 0; i < one.start.tasks.size(); ++i) {
    const bool meets = std::any_of(alone.begin(), alone.end(), [&](const auto& copies) {
      return copies_on(one.system.tasks[i], copies.element);
    });
    // Nobody takes the most urgent one off.
    const bool never = one.start.arbiter && one.entries[i] != nullptr && meets &&
                       one.entries[i]->gpu_priority >= *one.most_urgent;
    if (!meets || never) continue;
    const auto leaves = leaves_with_copies(one, one.start.tasks[i]);
    if (!leaves) found.unseen.push_back(one.name(i));
    if (leaves == false) found.others.push_back(one.name(i));
  }
  one.add("copies", found.holds(),
          found.say(fmt::format("times of copies were measured alone ({}), and copies of these go "
                                "on beside them: ",
                                listed(measured)),
                    "whether these leave the GPU with their copies: ",
                    "whoever must leave the GPU leaves with its copies"),
          kCopiesLeave,
          "--tier channel, without TACTUS_CHANNEL_COPIES=no; or measure beside copies (tactus "
          "measure --enemies copies)");
}

}  // namespace tactus::decide
