#include "tactus/methods/pbs/search/core_proof.hpp"

#include <algorithm>
#include <numeric>

#include "tactus/methods/pbs/search/relaxation.hpp"

namespace tactus::pbs {
namespace {

constexpr std::size_t kMore = 2;  ///< tasks from one core to the next: each takes some milliseconds

}  // namespace

TaskSet part_of(const TaskSet& set, const std::vector<std::size_t>& kernels) {
  constexpr std::uint32_t kNotInIt = UINT32_MAX;
  std::vector<std::uint32_t> place(set.size(), kNotInIt);
  TaskSet part = set;
  part.kernels.clear();
  part.listed.clear();
  part.hyperperiod = 1;
  part.jobs = 0;
  for (const std::size_t i : kernels) {
    place[i] = static_cast<std::uint32_t>(part.kernels.size());
    part.kernels.push_back(set.kernels[i]);
    part.hyperperiod = std::lcm(part.hyperperiod, set.kernels[i].period);
  }
  for (const Kernel& kernel : part.kernels) part.jobs += part.hyperperiod / kernel.period;
  for (ListedBatch batch : set.listed) {
    for (std::uint32_t& kernel : batch.kernels) kernel = place[kernel];
    const bool inside =
        std::find(batch.kernels.begin(), batch.kernels.end(), kNotInIt) == batch.kernels.end();
    if (inside) part.listed.push_back(std::move(batch));
  }
  return part;
}

std::vector<std::size_t> CoreProof::heaviest_first() const {
  const TaskSet& set = know_.set;
  const Weights& weights = know_.demand.widest();
  const auto share = [&](std::size_t i) { return weights[i] / set.kernels[i].period; };
  std::vector<std::size_t> kernels(set.size());
  std::iota(kernels.begin(), kernels.end(), std::size_t{0});
  std::stable_sort(kernels.begin(), kernels.end(),
                   [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
  return kernels;
}

bool CoreProof::found(std::int64_t steps) {
  if (!know_.features.core_proof || know_.demand.empty() || !know_.source.closed()) return false;
  const std::vector<std::size_t> heaviest = heaviest_first();
  for (; size_ < heaviest.size(); size_ += kMore) {
    core_.assign(heaviest.begin(), heaviest.begin() + static_cast<std::ptrdiff_t>(size_));
    std::sort(core_.begin(), core_.end());
    const Answer answer = has_table(part_of(know_.set, core_), steps);
    if (answer != Answer::kYes) return answer == Answer::kNo;
  }
  return false;
}

Answer CoreProof::has_table(const TaskSet& core, std::int64_t& steps) {
  const Oracle oracle(core);
  const Windows windows(core);
  Knowledge know(core, oracle, windows, know_.features, {}, know_.budget);
  know.budget.memory -= know_.bytes();
  know.budget.states -= know_.counters.states + know_.counters.relaxed_states;
  Relaxation relaxation(know);
  // Weights from linear programs are worth their time only where a few steps are not enough.
  know.budget.pause_after(know.counters, std::min(steps, know_.features.patience));
  Answer answer = relaxation.feasible(windows.root());
  if (answer == Answer::kStopped) {
    know.budget.pause_after(know.counters, steps);
    know.learn_weights();
    answer = know.no_table ? Answer::kNo : relaxation.feasible(windows.root());
  }
  steps -= Budget::steps(know.counters);
  know_.counters.relaxed_states += know.counters.relaxed_states;
  know_.counters.batches += know.counters.batches;
  return answer;
}

}  // namespace tactus::pbs
