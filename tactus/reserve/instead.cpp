#include <algorithm>

#include "tactus/methods/method.hpp"
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

Task with_gpu_time(const System& platform, const Task& task, std::int64_t thousandths) {
  Task other = task;
  for (Node& node : other.nodes) {
    const bool kernel = platform.platform.elements[node.on].kind == ElementKind::kGpu;
    if (!kernel || !node.wcet) continue;
    const auto less = static_cast<__int128>(node.wcet->ns()) * thousandths / kThousand;
    node.wcet = Time::from_ns(static_cast<std::int64_t>(less));
    node.bcet = std::min(node.bcet, *node.wcet);
  }
  return other;
}

}  // namespace

Instead Controller::instead_of(const Task& refused) const {
  Instead instead;
  std::size_t analyses = rules_.most_analyses;
  const auto admits = [&](Task task) {
    const auto newcomer = std::make_shared<const Task>(std::move(task));
    try {
      return search(list_, newcomer, false, analyses).passes();
    } catch (const LimitReached&) {
      return false;
    } catch (const OverflowError&) {
      return false;
    }
  };

  // The first that is admitted on the way up is narrowed down.
  const auto slower = [&](std::int64_t k) { return admits(with_period(refused, k)); };
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

  const auto shorter = [&](std::int64_t k) { return admits(with_gpu_time(platform_, refused, k)); };
  std::int64_t less = 1, more = kThousand;
  const bool uses_gpu =
      std::any_of(refused.nodes.begin(), refused.nodes.end(), [&](const Node& node) {
        return platform_.platform.elements[node.on].kind == ElementKind::kGpu && node.wcet;
      });
  if (uses_gpu && shorter(less)) {
    while (more - less > 1) {
      const std::int64_t middle = less + (more - less) / 2;
      (shorter(middle) ? less : more) = middle;
    }
    instead.gpu_thousandths = less;
  }

  for (const Element& element : platform_.platform.elements) {
    if (element.kind != ElementKind::kCpu) continue;
    for (std::int64_t core = 1; core <= element.units && !instead.core; ++core) {
      if (core == refused.core) continue;
      Task other = refused;
      other.core = core;
      if (!refusal_of(other) && admits(std::move(other))) instead.core = core;
    }
  }
  return instead;
}

}  // namespace tactus::reserve
