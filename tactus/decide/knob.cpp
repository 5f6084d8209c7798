#include "tactus/decide/knob.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/priorities.hpp"
#include "tactus/model/paths.hpp"
#include "tactus/model/scale_node.hpp"

namespace tactus::decide {
namespace {

using What = Knob::What;

/// Far beyond any system; leaves room for sums.
constexpr std::int64_t kMost = std::int64_t{1} << 60;

Time at_most(__int128 ns) {
  return Time::from_ns(static_cast<std::int64_t>(std::min<__int128>(ns, kMost)));
}

/// `time` times `numerator / denominator`, rounded up.
Time scaled_up(Time time, std::int64_t numerator, std::int64_t denominator) {
  const __int128 product = static_cast<__int128>(time.ns()) * numerator;
  return at_most((product + denominator - 1) / denominator);
}

/// What the time of a node is counted in: that of the whole element, or of one unit.
Time main_time(const Node& node) {
  if (node.wcet) return *node.wcet;
  if (node.load) return *node.load;
  return node.times.empty() ? Time() : node.times.back().wcet;
}

void scale_all(System& system, std::int64_t permille) {
  const auto scale = [&](Time time) { return scaled_up(time, permille, kAsInFile); };
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      scale_node(node, scale);
      node.launch = scale(node.launch);
      if (permille < kAsInFile) {
        node.overlap = at_most(__int128{node.overlap.ns()} * permille / kAsInFile);
      }
      node.overlap = std::min(node.overlap, node.launch);
    }
  }
  for (Batch& batch : system.batches) {
    if (batch.completion) batch.completion = scale(*batch.completion);
  }
}

void set_time(System& system, const Knob& knob, Time time) {
  Node& node = system.tasks[knob.task].nodes[knob.node];
  const Time before = main_time(node);
  if (before > Time()) {
    scale_node(node, [&](Time each) { return scaled_up(each, time.ns(), before.ns()); });
  } else {  // nothing to take a share of
    scale_node(node, [&](Time each) { return at_most(__int128{each.ns()} + time.ns()); });
  }
  for (Batch& batch : system.batches) {
    const bool member =
        std::find(batch.tasks.begin(), batch.tasks.end(), knob.task) != batch.tasks.end();
    if (!batch.completion || !member) continue;
    // What it takes longer alone it takes longer among others; what it takes less may not show.
    const Time more = clamp_at_zero(time - before);
    const Time own = batch.tasks.size() == 1 ? time - before : more;
    batch.completion = clamp_at_zero(*batch.completion + own);
  }
}

/// A GPU with fewer units: times on more of them are nobody's any more.
void set_units(System& system, const Knob& knob, std::int64_t units) {
  Element& element = system.platform.elements[knob.element];
  const bool fewer = units < element.units;
  element.units = units;
  if (element.kind != ElementKind::kGpu || !fewer) return;
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      if (node.on != knob.element || (node.times.empty() && !node.load)) continue;
      std::erase_if(node.times, [&](const TimesEntry& entry) { return entry.units > units; });
      node.wcet.reset();
      node.bcet = Time();
    }
  }
}

std::int64_t fewest_units(const System& system, ElementIndex index) {
  std::int64_t fewest = 1;
  for (const Task& task : system.tasks) {
    for (const Node& node : task.nodes) {
      if (node.on != index) continue;
      if (!node.times.empty()) fewest = std::max(fewest, node.times.front().units);
    }
  }
  return fewest;
}

Time longest_deadline(const System& system) {
  Time longest;
  for (const Task& task : system.tasks) {
    if (!task.best_effort) longest = std::max(longest, task.deadline.value_or(Time()));
  }
  return longest;
}

constexpr std::pair<std::optional<Time> Element::*, std::string_view> kCosts[] = {
    {&Element::runlist_update, "runlist_update"},
    {&Element::preemption_delay, "preemption_delay"},
    {&Element::context_switch, "context_switch"},
};

/// By task: is its period in a chain with a limit?
std::vector<bool> waited_for_by_chains(const System& system) {
  std::vector<bool> waited_for(system.tasks.size());
  const std::vector<TaskIndex> roots = roots_of(system);
  for (const Chain& chain : system.chains) {
    if (!chain.reaction && !chain.age) continue;
    for (const TaskIndex task : chain.tasks) {
      if (roots[task] != kNoRoot) waited_for[roots[task]] = true;
    }
  }
  return waited_for;
}

}  // namespace

std::vector<Knob> knobs_of(const System& system, std::vector<std::string>* left_out) {
  std::vector<Knob> knobs = {{.what = What::kAllTimes}};
  for (TaskIndex t = 0; t < system.tasks.size(); ++t) {
    const auto nodes = static_cast<NodeIndex>(system.tasks[t].nodes.size());
    for (NodeIndex n = 0; n < nodes; ++n) {
      knobs.push_back({.what = What::kNodeTime, .task = t, .node = n});
    }
  }
  const bool releases = has_late_releases(system) || !system.chains.empty();
  const std::vector<bool> waited_for = waited_for_by_chains(system);
  for (TaskIndex t = 0; t < system.tasks.size(); ++t) {
    const Task& task = system.tasks[t];
    if (task.best_effort) continue;
    if (task.period && !task.after) knobs.push_back({.what = What::kPeriod, .task = t});
    if (task.period && waited_for[t]) knobs.push_back({.what = What::kLongerPeriod, .task = t});
    if (task.deadline) knobs.push_back({.what = What::kDeadline, .task = t});
    if (task.deadline && releases) knobs.push_back({.what = What::kJitter, .task = t});
  }
  for (ElementIndex e = 0; e < system.platform.elements.size(); ++e) {
    const Element& element = system.platform.elements[e];
    if (element.kind != ElementKind::kCopy && element.units > 1) {
      std::string why = why_units_stay(system, e);
      if (why.empty()) {
        knobs.push_back({.what = What::kUnits, .element = e});
      } else if (left_out != nullptr && element.kind == ElementKind::kGpu) {
        left_out->push_back(fmt::format("{}.units: {}", element.name, why));
      }
    }
    for (const auto& [cost, name] : kCosts) {
      if (element.*cost) knobs.push_back({.what = What::kCost, .element = e, .cost = cost});
    }
  }
  return knobs;
}

std::string why_units_stay(const System& system, ElementIndex index) {
  const Element& element = system.platform.elements[index];
  for (const Task& task : system.tasks) {
    if (element.kind == ElementKind::kCpu && task.core) {
      return fmt::format("the tasks say which core of {} they are on", quote(element.name));
    }
    for (const Node& node : task.nodes) {
      if (node.on == index && element.kind == ElementKind::kGpu &&
          says_whole_time_only(element, node)) {
        return fmt::format(
            "{}.{} gives its time with all {} units of {} only; `times` or `load` "
            "would tell the rest",
            task.name, node.name, element.units, quote(element.name));
      }
    }
  }
  return {};
}

std::string name_of(const Knob& knob, const System& system) {
  switch (knob.what) {
    case What::kAllTimes:
      return "all times";
    case What::kNodeTime: {
      const Task& task = system.tasks[knob.task];
      const Node& node = task.nodes[knob.node];
      return fmt::format("{}.{}.{}", task.name, node.name,
                         node.wcet   ? "wcet"
                         : node.load ? "load"
                                     : "times");
    }
    case What::kPeriod:
    case What::kLongerPeriod:
      return system.tasks[knob.task].name + ".period";
    case What::kDeadline:
      return system.tasks[knob.task].name + ".deadline";
    case What::kJitter:
      return system.tasks[knob.task].name + ".jitter";
    case What::kUnits:
      return system.platform.elements[knob.element].name + ".units";
    case What::kCost:
      break;
  }
  const auto* found = std::find_if(std::begin(kCosts), std::end(kCosts),
                                   [&](const auto& each) { return each.first == knob.cost; });
  return fmt::format("{}.{}", system.platform.elements[knob.element].name, found->second);
}

std::string turned_along(const Knob& knob, const System& system) {
  if (knob.what != What::kNodeTime) return {};
  const Task& task = system.tasks[knob.task];
  const Node& node = task.nodes[knob.node];
  std::vector<std::string_view> others;
  if (node.wcet && node.load) others.emplace_back("`load`");
  if (node.overhead > Time()) others.emplace_back("`overhead`");
  if (!node.times.empty()) others.emplace_back("every entry of `times`");
  const bool batched =
      std::any_of(system.batches.begin(), system.batches.end(), [&](const Batch& batch) {
        return batch.completion &&
               std::find(batch.tasks.begin(), batch.tasks.end(), knob.task) != batch.tasks.end();
      });
  if (batched) others.emplace_back("`completion` of its batches");
  if (others.empty()) return {};
  const bool curve_only = !node.wcet && !node.load;
  return fmt::format("{} {} with it; --set {}", fmt::join(others, ", "),
                     others.size() == 1 ? "goes" : "go",
                     curve_only ? fmt::format("changes one entry, such as {}.{}.times.{}.wcet",
                                              task.name, node.name, node.times.back().units)
                                : std::string("changes this one number"));
}

bool grows_harder(const Knob& knob) {
  return knob.what == What::kAllTimes || knob.what == What::kNodeTime || knob.what == What::kCost ||
         knob.what == What::kJitter || knob.what == What::kLongerPeriod;
}

bool is_time(const Knob& knob) { return knob.what != What::kAllTimes && knob.what != What::kUnits; }

bool is_monotone(const Knob& knob, const Method& method, const Verdict& verdict) {
  const Monotone& claims = method.monotone;
  if (!verdict.variant.starts_with(kSafe)) return false;  // claims are of the safe variants
  // Bounds that hold only together rest on the deadlines of others. A method that claims to keep
  // its order in deadlines does not speak of such bounds.
  if (claims.deadlines && verdict.hold_only_together) return false;
  // Claims are of tasks. A task that is started earlier can be later for its deadline.
  const bool paths = std::any_of(verdict.tasks.begin(), verdict.tasks.end(),
                                 [](const TaskVerdict& task) { return task.latency.has_value(); });
  if (paths) return false;
  switch (knob.what) {
    case What::kAllTimes:
    case What::kNodeTime:
      return claims.times;
    case What::kPeriod:
      return claims.periods && verdict.chains.empty();  // a chain waits for rare tasks longer
    case What::kDeadline:
      return claims.deadlines;
    case What::kJitter:
      return claims.times && claims.periods && claims.deadlines;
    case What::kUnits:
      return claims.units;
    case What::kCost:
      return claims.costs;
    case What::kLongerPeriod:
      break;  // the chain waits longer, and the tasks have less to do
  }
  return false;
}

std::int64_t value_of(const Knob& knob, const System& system) {
  switch (knob.what) {
    case What::kAllTimes:
      return kAsInFile;
    case What::kNodeTime:
      return main_time(system.tasks[knob.task].nodes[knob.node]).ns();
    case What::kPeriod:
    case What::kLongerPeriod:
      return system.tasks[knob.task].period->ns();
    case What::kDeadline:
      return system.tasks[knob.task].deadline->ns();
    case What::kJitter:
      return system.tasks[knob.task].jitter.ns();
    case What::kUnits:
      return system.platform.elements[knob.element].units;
    case What::kCost:
      return (system.platform.elements[knob.element].*knob.cost)->ns();
  }
  return 0;
}

Range range_of(const Knob& knob, const System& system) {
  const std::int64_t now = value_of(knob, system);
  switch (knob.what) {
    case What::kAllTimes:
      return {0, kAsInFile * kAsInFile};
    case What::kNodeTime: {
      const Task& task = system.tasks[knob.task];
      const Node& node = task.nodes[knob.node];
      // Nobody can promise more than the deadline; spread over all units it is that many times it.
      const Time deadline =
          task.best_effort ? longest_deadline(system) : task.deadline.value_or(Time::max());
      const std::int64_t spread =
          node.wcet || !node.load ? 1 : system.platform.elements[node.on].units;
      const Time most = at_most(__int128{deadline.ns()} * spread + 1);
      return {0, std::max(now, most.ns())};
    }
    case What::kPeriod:
      return {std::max(now, at_most(__int128{now} * 1000).ns()), 1};
    case What::kLongerPeriod:
      return {1, std::max(now, at_most(__int128{now} * 1000).ns())};
    case What::kDeadline: {
      const auto& period = system.tasks[knob.task].period;
      const Time most = period ? *period : at_most(__int128{now} * 1000);
      return {std::max(now, most.ns()), 1};
    }
    case What::kJitter:
      return {0, std::max(now, system.tasks[knob.task].deadline->ns())};
    case What::kUnits:
      return {now, std::min(now, fewest_units(system, knob.element))};
    case What::kCost:
      return {0, std::max(now, at_most(__int128{longest_deadline(system).ns()} + 1).ns())};
  }
  return {};
}

void turn(System& system, const Knob& knob, std::int64_t value) {
  switch (knob.what) {
    case What::kAllTimes:
      scale_all(system, value);
      break;
    case What::kNodeTime:
      set_time(system, knob, Time::from_ns(value));
      break;
    case What::kPeriod:
    case What::kLongerPeriod: {
      Task& task = system.tasks[knob.task];
      if (task.deadline == task.period) task.deadline = Time::from_ns(value);
      task.period = Time::from_ns(value);
      follow_periods(system);
      break;
    }
    case What::kDeadline:
      system.tasks[knob.task].deadline = Time::from_ns(value);
      break;
    case What::kJitter:
      system.tasks[knob.task].jitter = Time::from_ns(value);
      break;
    case What::kUnits:
      set_units(system, knob, value);
      break;
    case What::kCost:
      system.platform.elements[knob.element].*knob.cost = Time::from_ns(value);
      break;
  }
}

void turn_back(System& system, const System& original, const Knob& knob) {
  switch (knob.what) {
    case What::kAllTimes:
    case What::kUnits:
      system = original;
      break;
    case What::kNodeTime:
      system.tasks[knob.task].nodes[knob.node] = original.tasks[knob.task].nodes[knob.node];
      system.batches = original.batches;
      break;
    case What::kPeriod:
    case What::kLongerPeriod:
      for (std::size_t i = 0; i < system.tasks.size(); ++i) {  // tasks that it starts, too
        system.tasks[i].period = original.tasks[i].period;
        system.tasks[i].deadline = original.tasks[i].deadline;
      }
      break;
    case What::kDeadline:
      system.tasks[knob.task].deadline = original.tasks[knob.task].deadline;
      break;
    case What::kJitter:
      system.tasks[knob.task].jitter = original.tasks[knob.task].jitter;
      break;
    case What::kCost:
      system.platform.elements[knob.element].*knob.cost =
          original.platform.elements[knob.element].*knob.cost;
      break;
  }
}

System turned(const System& system, const Knob& knob, std::int64_t value) {
  System changed = system;
  turn(changed, knob, value);
  return changed;
}

System with_fixed_priorities(System system) {
  const auto made = priorities_of(system);
  const auto* priorities = std::get_if<Priorities>(&made);
  if (priorities == nullptr) return system;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (!system.tasks[i].best_effort) system.tasks[i].priority = priorities->of[i];
  }
  return system;
}

}  // namespace tactus::decide
