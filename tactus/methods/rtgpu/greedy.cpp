#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tactus/methods/rtgpu/federated_methods.hpp"
#include "tactus/methods/rtgpu/methods.hpp"
#include "tactus/model/diagnostic.hpp"

/// The greedy search: start from the least that the tasks can run on, and give one more SM to every
/// task that misses, until none does. It never passes the least feasible
/// allocation (a task that misses there below has fewer SMs than in it), so it ends in the same
/// allocation as the exact search: the "slight loss" the paper fears does not exist.
namespace tactus::rtgpu {
namespace {

SearchResult search(const TaskSet& set, const Options& options) {
  if (std::string reason = not_enough_sms(set); !reason.empty()) return {{}, {}, reason};
  const BusWindow window = window_of(options);
  FederatedAnalysis analysis(set);
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
    for (std::size_t k = first; k < set.real_time; ++k) {
      if (reports[k].bound) continue;
      if (!set.tasks[k].has_kernels() && reason.empty()) {
        reason = fmt::format("task {} misses its deadline, and has no kernels",
                             quote(set.tasks[k].name));
      }
      ++counts[k];
    }
    if (reason.empty() &&
        std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) > set.sms) {
      reason = fmt::format("task {} misses its deadline with {} SMs, and not enough are left",
                           quote(set.tasks[first].name), counts[first] - 1);
    }
    if (!reason.empty()) return {{}, {}, reason, first, std::move(missed->terms)};
    // What the tasks before the first miss were told stays true: it depends on their SMs only.
    reports.resize(first);
    analysis.take_back_from(first);
  }
}

constexpr Analysis kAnalysis = {PlanKind::kInterleaved, analyze_given_federated, search};

}  // namespace

const Method kRtgpuGreedy = {
    .id = "rtgpu.greedy",
    .title = "rtgpu, with the greedy search for SMs",
    .paper = kPaperTitle,
    .assumes = kAssumes,
    .needs = kFederatedNeeds,
    .variants = kRtgpuVariants,
    .makes_plan = true,
    .analyze = analyze_by<kAnalysis>,
    .options = kOptions,
    .check_plan = check_plan,
    .read_plan = read_plan,
    .behaviour = {.name = "own-sms-suspend", .recipe = "rtgpu-small"},
    .look = {.part = Part::kSimpler},
};

}  // namespace tactus::rtgpu
