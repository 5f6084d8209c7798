#include "tests/methods/dag/simulation.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

namespace tactus::dag {
namespace {

class Dispatcher {
 public:
  Dispatcher(const System& system, const DagPlan& plan, const std::vector<std::int64_t>& durations,
             Policy policy, Random& random)
      : plan_(plan), durations_(durations), policy_(policy), random_(random), free_(plan.sms) {
    const Graph& graph = system.tasks[plan.task].graph;
    const auto& kernels = plan.schedule.kernels;
    const Segments segments(graph.size(), plan.schedule);
    next_.resize(kernels.size());
    missing_.resize(kernels.size());
    running_.resize(kernels.size());
    waiting_.resize(kernels.size());
    step_of_.resize(kernels.size());
    for (std::size_t j = 0; j < plan.schedule.steps.size(); ++j) {
      const Step& step = plan.schedule.steps[j];
      for (std::uint32_t k = step.begin; k < step.end; ++k) step_of_[k] = j;
    }
    for (NodeIndex node = 0; node < graph.size(); ++node) {
      const auto own = segments.of(node);
      for (std::size_t i = 1; i < own.size(); ++i) precede(own[i - 1], own[i]);
      for (NodeIndex after : graph.successors(node)) precede(own.back(), segments.first(after));
    }
    for (const auto& [from, to] : extra_edges(graph, plan.schedule, segments, plan.ordering)) {
      precede(from, to);
    }
  }

  std::int64_t run() {
    for (std::uint32_t k = 0; k < missing_.size(); ++k) {
      if (missing_[k] == 0) release(k);
    }
    dispatch();
    std::size_t complete = 0;
    while (!events_.empty()) {
      const auto [time, tie, k] = events_.top();
      events_.pop();
      now_ = time;
      ++free_;
      if (--running_[k] == 0 && waiting_[k] == 0) {
        ++complete;
        for (std::uint32_t after : next_[k]) {
          if (--missing_[after] == 0) release(after);
        }
      }
      dispatch();
    }
    return complete == missing_.size() ? now_ : INT64_MAX;  // a deadlock keeps no bound
  }

 private:
  void precede(std::uint32_t from, std::uint32_t to) {
    next_[from].push_back(to);
    ++missing_[to];
  }
  void release(std::uint32_t k) {
    waiting_[k] = plan_.schedule.kernels[k].m;
    available_.push_back(k);
  }
  std::size_t choose() {
    switch (policy_) {
      case Policy::kFifo:
        return 0;
      case Policy::kLifo:
        return available_.size() - 1;
      case Policy::kRandom:
        return static_cast<std::size_t>(
            random_.integer(0, static_cast<std::int64_t>(available_.size()) - 1));
      case Policy::kLatestStepFirst:
        break;
    }
    const auto latest = std::max_element(
        available_.begin(), available_.end(),
        [&](std::uint32_t a, std::uint32_t b) { return step_of_[a] < step_of_[b]; });
    return static_cast<std::size_t>(latest - available_.begin());
  }
  void dispatch() {
    while (free_ > 0 && !available_.empty()) {
      const std::size_t place = choose();
      const std::uint32_t k = available_[place];
      --free_;
      ++running_[k];
      if (--waiting_[k] == 0) {
        available_.erase(available_.begin() + static_cast<std::ptrdiff_t>(place));
      }
      events_.emplace(now_ + durations_[k], random_.next(), k);
    }
  }

  const DagPlan& plan_;
  const std::vector<std::int64_t>& durations_;
  Policy policy_;
  Random& random_;
  std::int64_t free_;
  std::int64_t now_ = 0;
  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<std::uint32_t> missing_;
  std::vector<std::int64_t> running_, waiting_;  ///< blocks, by kernel
  std::vector<std::size_t> step_of_;
  std::vector<std::uint32_t> available_;  ///< released kernels with blocks to start
  using Event = std::tuple<std::int64_t, std::uint64_t, std::uint32_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

std::int64_t makespan(const System& system, const DagPlan& plan,
                      const std::vector<std::int64_t>& durations, Policy policy, Random& random) {
  return Dispatcher(system, plan, durations, policy, random).run();
}

std::vector<std::int64_t> worst_durations(const DagPlan& plan) {
  std::vector<std::int64_t> durations;
  for (const Kernel& kernel : plan.schedule.kernels) {
    const std::int64_t waves = (kernel.m - 1) / plan.sms + 1;
    durations.push_back(kernel.c.ns() / waves);
  }
  return durations;
}

std::vector<std::int64_t> random_durations(const DagPlan& plan, Random& random) {
  std::vector<std::int64_t> durations = worst_durations(plan);
  for (std::int64_t& duration : durations) {
    if (random.chance(0.5)) duration = random.integer(0, duration);
  }
  return durations;
}

}  // namespace tactus::dag
