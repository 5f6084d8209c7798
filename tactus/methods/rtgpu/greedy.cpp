#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/rtgpu/federated_methods.hpp"
#include "tactus/methods/rtgpu/rtgpu_methods.hpp"

/// The greedy search: start from the least that the tasks can run on, and give more SMs to every
/// task that misses (the next count that can make a difference), until none does. Where no kernel's
/// least time rises with its SMs it never passes the least feasible allocation (a task that misses
/// there below has fewer SMs than in it), so it ends in the same allocation as the exact search:
/// the "slight loss" of the paper does not exist. With other measured curves it may find none
/// although there is one.
namespace tactus::rtgpu {
namespace {

/// The proof that greedy loses nothing needs least times that do not rise with the SMs.
constexpr std::string_view kMayMiss =
    "; greedy found none, but some kernel's least time rises with its SMs: `rtgpu` may find one";

/// Goes to the next count of a task that misses. @return why there is none; empty if there is one.
std::string step(const ChainTask& task, std::int64_t& count) {
  if (!task.has_kernels()) {
    return fmt::format("task {} misses its deadline, and has no kernels", quote(task.name));
  }
  const auto next = task.next_count(count);
  if (!next) {
    return fmt::format("task {} misses its deadline with {} SMs, and more make no difference",
                       quote(task.name), count);
  }
  count = *next;
  return {};
}

SearchResult search_greedily(const TaskSet& set, const Options& options) {
  if (std::string reason = not_enough_sms(set); !reason.empty()) return {{}, {}, reason};
  const BusWindow window = window_of(options);
  FederatedAnalysis analysis(set, options);
  Counts counts;
  for (std::size_t k = 0; k < set.real_time; ++k) counts.push_back(set.tasks[k].min_sms);
  std::vector<TaskReport> reports;
  for (;;) {
    while (reports.size() < set.real_time) {
      check_stop(options);
      const std::size_t k = reports.size();
      reports.push_back(analysis.report(k, counts[k], window));
      analysis.place(k, counts[k]);
    }
    const auto missed = std::find_if(reports.begin(), reports.end(),
                                     [](const TaskReport& report) { return !report.bound; });
    if (missed == reports.end()) return {std::move(counts), std::move(reports), {}};

    const auto first = static_cast<std::size_t>(missed - reports.begin());
    std::string reason;
    bool stepped = false;
    const std::int64_t tried = counts[first];
    for (std::size_t k = first; k < set.real_time; ++k) {
      if (reports[k].bound) continue;
      std::string stuck = step(set.tasks[k], counts[k]);
      stepped = stepped || stuck.empty();
      if (reason.empty()) reason = std::move(stuck);
    }
    // A task that can have no more may yet be helped by those before it: where least times rise, more
    // SMs for them start what follows their kernels later. Where they do not, nothing helps it.
    if (stepped && set.lower_bounds_rise()) reason.clear();
    if (reason.empty() &&
        std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) > set.sms) {
      reason = fmt::format("task {} misses its deadline with {} SMs, and not enough are left",
                           quote(set.tasks[first].name), tried);
    }
    if (!reason.empty()) {
      if (set.lower_bounds_rise()) reason += kMayMiss;
      return {{}, {}, reason, first, std::move(missed->terms)};
    }
    // The results of the tasks before the first miss stay true: they depend only on their SMs.
    reports.resize(first);
    analysis.take_back_from(first);
  }
}

constexpr Analysis kGreedyAnalysis = {PlanKind::kInterleaved, analyze_given_federated,
                                      search_greedily};

}  // namespace

const Method kRtgpuGreedy = [] {
  Method method =
      federated_member("rtgpu.greedy", "rtgpu, with the greedy search for SMs", Part::kSimpler);
  method.analyze = analyze_on_time<analyze_by<kGreedyAnalysis>, Instead::kSporadic>;
  method.options = kOptions;
  return method;
}();

}  // namespace tactus::rtgpu
