#include <algorithm>
#include <set>

#include "tactus/methods/method.hpp"
#include "tactus/model/scale_node.hpp"
#include "tactus/reserve/controller.hpp"

/// What a refused task could be: each answer is tried before it is given.
namespace tactus::reserve {
namespace {

constexpr std::int64_t kThousand = 1'000;
/// A period is tried up to so many times its own.
constexpr std::int64_t kMostTimes = 64;

Task with_period(const Task& task, std::int64_t thousandths) {
  Task other = task;
  other.period = mul_div_up(*task.period, thousandths, kThousand);
  if (task.deadline == task.period) other.deadline = other.period;
  return other;
}

bool on_gpu(const System& platform, const Node& node) {
  return platform.platform.elements[node.on].kind == ElementKind::kGpu;
}

Task with_gpu_time(const System& platform, const Task& task, std::int64_t thousandths) {
  Task other = task;
  for (Node& node : other.nodes) {
    if (!on_gpu(platform, node)) continue;
    scale_node(node, [&](Time time) {
      const auto less = static_cast<__int128>(time.ns()) * thousandths / kThousand;
      return Time::from_ns(static_cast<std::int64_t>(less));
    });
  }
  return other;
}

/// Those that somebody uses, and one of those that nobody does, which are all alike.
std::set<std::int64_t> other_cores(const System& platform, std::span<const Placed> list,
                                   const Task& refused) {
  std::set<std::int64_t> cores = {refused.core.value_or(0)};
  for (const Placed& placed : list) cores.insert(placed.task->core.value_or(0));
  for (const Task& task : platform.tasks) cores.insert(task.core.value_or(0));
  std::int64_t unused = 1;
  while (cores.contains(unused)) ++unused;
  cores.insert(unused);
  std::int64_t most = 0;
  for (const Element& element : platform.platform.elements) {
    if (element.kind == ElementKind::kCpu) most = std::max(most, element.units);
  }
  std::erase_if(cores,
                [&](std::int64_t core) { return core < 1 || core > most || core == refused.core; });
  return cores;
}

}  // namespace

Instead Controller::instead_of(const Task& refused, const Enough& enough) const {
  Instead instead;
  std::size_t analyses = rules_.most_analyses;
  const auto admits = [&](const auto& made) {
    try {
      const auto newcomer = std::make_shared<const Task>(made());
      return search(list_, newcomer, false, analyses, enough).passes();
    } catch (const LimitReached&) {
      return false;
    } catch (const OverflowError&) {
      return false;
    }
  };

  // The first that is admitted on the way up is narrowed down.
  const auto slower = [&](std::int64_t k) {
    return admits([&] { return with_period(refused, k); });
  };
  std::int64_t fails = kThousand, holds = 0;
  for (std::int64_t times = 2; holds == 0 && times <= kMostTimes; times *= 2) {
    if (slower(times * kThousand)) {
      holds = times * kThousand;
    } else {
      fails = times * kThousand;
    }
  }
  while (holds - fails > 1) {
    const std::int64_t middle = fails + (holds - fails) / 2;
    (slower(middle) ? holds : fails) = middle;
  }
  if (holds > 0) instead.period = with_period(refused, holds).period;

  const auto shorter = [&](std::int64_t k) {
    return admits([&] { return with_gpu_time(platform_, refused, k); });
  };
  std::int64_t less = 1, more = kThousand;
  const bool uses_gpu = std::any_of(refused.nodes.begin(), refused.nodes.end(),
                                    [&](const Node& node) { return on_gpu(platform_, node); });
  if (uses_gpu && shorter(less)) {
    while (more - less > 1) {
      const std::int64_t middle = less + (more - less) / 2;
      (shorter(middle) ? less : more) = middle;
    }
    instead.gpu_thousandths = less;
  }

  for (const std::int64_t core : other_cores(platform_, list_, refused)) {
    Task other = refused;
    other.core = core;
    if (refusal_of(other) || !admits([&] { return other; })) continue;
    instead.core = core;
    break;
  }
  return instead;
}

}  // namespace tactus::reserve
