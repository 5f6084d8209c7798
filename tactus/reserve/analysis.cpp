#include "tactus/reserve/analysis.hpp"

#include <fmt/core.h>

#include "tactus/methods/gcaps/boost/bounds.hpp"
#include "tactus/methods/gcaps/boost/view.hpp"
#include "tactus/methods/releases.hpp"
#include "tactus/model/gpu_element.hpp"

namespace tactus::reserve {

using gcaps::boost::Arrangement, gcaps::boost::Bounds;

namespace {

/// The tasks of the list in their order, above the best-effort tasks of the platform. Only the list
/// gives priorities.
System as_system(const System& platform, std::span<const Placed> list) {
  System system;
  system.name = platform.name;
  system.time_unit = platform.time_unit;
  system.platform = platform.platform;
  auto priority = static_cast<std::int64_t>(list.size());
  for (const Placed& placed : list) {
    Task& task = system.tasks.emplace_back(*placed.task);
    task.priority = priority--;
    task.gpu_priority.reset();
  }
  for (const Task& task : platform.tasks) {
    if (task.best_effort) system.tasks.push_back(task);
  }
  return system;
}

/// A chain of the file with a limit, of which it is a part.
const Chain* limited_chain_of(const System& platform, const std::string& task) {
  for (const Chain& chain : platform.chains) {
    if (!chain.reaction && !chain.age) continue;
    for (const TaskIndex part : chain.tasks) {
      if (platform.tasks[part].name == task) return &chain;
    }
  }
  return nullptr;
}

/// What no reservation can have.
void refuse_the_rest(const System& platform, const System& system, const Rules& rules,
                     Obstacles& obstacles) {
  if (const Element* const gpu = gpu_of(system); gpu != nullptr && gpu->arbiter_core) {
    obstacles.refuse(*gpu,
                     "has an arbiter_core; reservations need an arbiter on a core without "
                     "reserved tasks");
  }
  for (const Task& task : system.tasks) {
    if (task.best_effort) continue;
    if (task.after) {
      obstacles.refuse(task, "is started by another task; a reservation has arrivals of its own");
    }
    if (const Chain* const chain = limited_chain_of(platform, task.name)) {
      obstacles.refuse(
          task, fmt::format("is in chain `{}`, whose limits no reservation keeps", chain->name));
    }
    const bool busy = rules.mode == gcaps::Mode::kBusy;
    if (task.wait && (*task.wait == WaitMode::kBusy) != busy) {
      obstacles.refuse(task, busy ? "says that it suspends, but the others are busy"
                                  : "says that it is busy, but the others suspend");
    }
  }
}

/// Whoever is taken off for being too long was on for e, until that was noticed, and while it was
/// taken off.
void lengthen(gcaps::TaskSet& set, Time by) {
  for (gcaps::Segment& segment : set.segments) segment.exec += by;
  for (gcaps::GpuTask& task : set.tasks) {
    task.exec += task.eta() * by;
    if (task.uses_gpu()) task.longest_section += by;
  }
}

}  // namespace

Ordered::Ordered(const System& platform, const Rules& rules, std::span<const Placed> list)
    : system_(as_system(platform, list)), rules_(rules) {
  Obstacles obstacles;
  refuse_the_rest(platform, system_, rules_, obstacles);
  gcaps::make_view(system_, family_);
  if (auto refusal = family_.refusal(gcaps::Overheads::kOperations)) {
    obstacles.add(std::move(*refusal));
  }
  if (obstacles.any()) {
    refusal_ = std::move(obstacles).refusal();
    return;
  }
  if (rules_.enforced && family_.gpu != nullptr) {
    lengthen(family_.set, rules_.notice + gcaps::boost::costs_of(*family_.gpu).off);
  }
  view_ = make_view(system_, family_, obstacles, gcaps::boost::Thresholds::kChosenNow);
  view_.best_effort_gpu = view_.best_effort_gpu || rules_.best_effort || rules_.enforced;
  if (rules_.mode == gcaps::Mode::kSuspend && !rules_.cpu_trusted) {
    view_.cpu_budget_notice = rules_.notice;
  }
  ranks_ = ranks_of(view_, view_.gpu_tasks);
}

Arrangement Ordered::arrangement_of(std::span<const Placed> list) const {
  Arrangement arrangement{view_.gpu_tasks, {}};
  for (const Placed& placed : list) {
    arrangement.limit.insert(arrangement.limit.end(), placed.cuts.begin(), placed.cuts.end());
  }
  return arrangement;
}

Ordered::Outcome Ordered::analyze(std::span<const Placed> list, std::stop_token stop) {
  Bounds bounds(view_, rules_.mode, true, std::move(stop));
  const bool passes = bounds.find(arrangement_of(list));
  Outcome outcome;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Bounds::Found& found = bounds.found()[i];
    if (!passes) {
      if (!found.reached || found.response.found()) continue;
      outcome.late = Late{i, found.response.value};
      break;
    }
    Values& values = outcome.values.emplace_back();
    values.response = found.response.value;
    for (std::size_t s = view_.first[i]; s < view_.first[i + 1]; ++s) {
      values.completions.push_back(bounds.completion(s));
    }
  }
  return outcome;
}

Time Ordered::longest_pause(std::size_t place) const {
  const std::span<const Time> phases = view_.phases_of(place);
  Time longest;
  for (std::size_t k = 1; k < view_.eta(place); ++k) longest = std::max(longest, phases[k]);
  return longest;
}

std::vector<Term> Ordered::terms_of(std::size_t place, std::span<const Placed> list) {
  Bounds bounds(view_, rules_.mode);
  bounds.find(arrangement_of(list), true);
  std::vector<Term> terms = bounds.found()[place].terms;
  const Time jitter = list[place].task->jitter;
  if (jitter > Time()) terms.push_back(jitter_term(jitter));
  return terms;
}

}  // namespace tactus::reserve
