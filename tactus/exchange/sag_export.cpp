#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/export.hpp"

namespace tactus::exchange {
namespace {

/// A job set must be finite and small enough to be written.
constexpr std::int64_t kMostJobs = 5'000'000;

/// Why a system is no set of non-preemptive jobs on one element; empty if it is.
std::string obstacle(const System& system) {
  for (const Task& task : system.tasks) {
    if (task.best_effort) {
      return fmt::format("task {} is best effort; a job set has deadlines only", quote(task.name));
    }
    if (!task.deadline) return fmt::format("task {} has no deadline", quote(task.name));
    for (const Node& node : task.nodes) {
      const auto name = [&] {
        return fmt::format("task {}: node {}", quote(task.name), quote(node.name));
      };
      if (node.on != system.tasks.front().nodes.front().on) {
        return name() + " is on another element; a job set has one kind of processor";
      }
      if (!node.wcet) return name() + " has no wcet";
      if (node.launch > Time()) return name() + " has a launch time, which a job set cannot say";
      if (node.parallelism.value_or(1) > 1) {
        return name() + " needs several units at once; a job of this format needs one";
      }
    }
  }
  for (const Task& task : system.tasks) {
    if (!task.after) continue;
    return fmt::format("task {} is after task {}, which a job set cannot say", quote(task.name),
                       quote(system.tasks[*task.after].name));
  }
  return system.tasks.empty() ? "there are no tasks" : "";
}

/// The time after which the releases repeat, or nothing if that is too far away.
std::optional<std::int64_t> hyperperiod(const System& system) {
  std::int64_t all = 1;
  for (const Task& task : system.tasks) {
    if (!task.period) continue;
    const std::int64_t period = task.period->ns();
    const std::int64_t factor = period / std::gcd(all, period);
    if (__builtin_mul_overflow(all, factor, &all)) return std::nullopt;
  }
  return all;
}

/// More urgent tasks first, as the format has it: a smaller number is more urgent.
std::vector<std::size_t> ranks_of(const System& system, std::vector<std::string>& notes) {
  std::vector<std::size_t> order(system.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  const bool given = std::all_of(system.tasks.begin(), system.tasks.end(),
                                 [](const Task& task) { return task.priority.has_value(); });
  if (!given) notes.emplace_back("priorities are deadline monotonic, because the file has none");
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Task &one = system.tasks[a], &other = system.tasks[b];
    return given ? *one.priority > *other.priority : *one.deadline < *other.deadline;
  });
  std::vector<std::size_t> ranks(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = i + 1;
  return ranks;
}

}  // namespace

Result<Exported> export_sag(const System& system) {
  if (const std::string problem = obstacle(system); !problem.empty()) return Error{problem};
  const auto period = hyperperiod(system);
  Exported made;
  const std::vector<std::size_t> ranks = ranks_of(system, made.notes);
  Time first_end;  // all tasks are released at least once, with offsets
  std::int64_t jobs = 0;
  for (const Task& task : system.tasks) first_end = std::max(first_end, task.offset);
  for (const Task& task : system.tasks) {
    const std::int64_t releases =
        !task.period ? 1
        : !period    ? kMostJobs
                     : ceil_div(first_end + Time::from_ns(*period) - task.offset, *task.period);
    if (__builtin_mul_overflow(releases, static_cast<std::int64_t>(task.nodes.size()), &jobs) ||
        jobs > kMostJobs) {
      return Error{fmt::format("a hyperperiod has more than {} jobs", kMostJobs)};
    }
  }
  const TimeUnit unit = system.time_unit;
  made.text = "Task ID, Job ID, Arrival min, Arrival max, Cost min, Cost max, Deadline, Priority\n";
  for (std::size_t t = 0; t < system.tasks.size(); ++t) {
    const Task& task = system.tasks[t];
    std::int64_t number = 0;
    const Time end = first_end + Time::from_ns(period.value_or(0));
    for (Time release = task.offset; release == task.offset || (task.period && release < end);
         release += *task.period) {
      const std::int64_t first = number;
      for (const Node& node : task.nodes) {
        made.text += fmt::format(
            "{}, {}, {}, {}, {}, {}, {}, {}\n", t + 1, ++number, format_time(release, unit),
            format_time(release + task.jitter, unit), format_time(node.bcet, unit),
            format_time(*node.wcet, unit), format_time(release + *task.deadline, unit), ranks[t]);
      }
      for (const auto& [from, to] : task.graph.edges()) {
        made.edges +=
            fmt::format("{}, {}, {}, {}\n", t + 1, first + 1 + from, t + 1, first + 1 + to);
      }
      if (!task.period) break;
    }
  }
  if (!made.edges.empty()) {
    made.edges.insert(0, "Predecessor TID, Predecessor JID, Successor TID, Successor JID\n");
  }
  made.notes.emplace_back(
      "jobs are released exactly at their periods; tasks of a system file may "
      "also be released later, which a job set cannot say");
  const Element& element = system.platform.elements[system.tasks.front().nodes.front().on];
  made.notes.push_back(fmt::format("the analysis must be told of {} processors", element.units));
  if (element.kind == ElementKind::kCpu) {
    made.notes.emplace_back(
        "in this format a job is never preempted, as on an element of kind `copy`");
  }
  return made;
}

}  // namespace tactus::exchange
