#include "tactus/methods/pbs/weights/lp_weights.hpp"

#include <algorithm>
#include <cmath>

#include "tactus/methods/pbs/weights/knapsack.hpp"
#include "tactus/methods/pbs/weights/linear_program.hpp"

namespace tactus::pbs {
namespace {

constexpr int kMostCuts = 400;

/// For each group the heaviest set of its members that fits, by 0/1 knapsacks. Most groups have all
/// members of the one before, and go on with its knapsack.
class GroupKnapsack {
 public:
  explicit GroupKnapsack(const WeightConstraints& constraints)
      : constraints_(constraints), sizes_(constraints.source()) {}

  /// Calls `visit(completion, sum, set)` with the heaviest set of each group.
  template <typename Value, typename Visit>
  void heaviest(const std::vector<Value>& values, Visit visit) const {
    Knapsack<Value> knapsack(sizes_);
    Mask inside = 0;
    for (const WeightConstraints::Group& group : constraints_.groups()) {
      if ((inside & ~group.members) != 0) {
        knapsack.clear();
        inside = 0;
      }
      for_each(group.members & ~inside, [&](std::size_t i) { knapsack.put(i, values[i]); });
      inside = group.members;
      visit(group.completion, knapsack.heaviest(), knapsack.chosen());
    }
  }

 private:
  const WeightConstraints& constraints_;
  KnapsackSizes sizes_;
};

class WeightProgram {
 public:
  WeightProgram(const TaskSet& set, const WeightConstraints& constraints)
      : constraints_(constraints), source_(constraints.source()), knapsack_(constraints) {
    for (const Kernel& kernel : set.kernels) upper_.push_back(static_cast<double>(kernel.wcet));
  }

  Weights maximise(const std::vector<double>& objective) {
    LinearProgram program(objective, upper_);
    // Cuts of earlier objectives bound this one as well.
    for (const Move& cut : cuts_) {
      if (!add(program, cut)) break;
    }
    for (int round = 0; round < kMostCuts; ++round) {
      const Move cut = most_violated(program.solution());
      if (cut.batch == 0) break;
      cuts_.push_back(cut);
      if (!add(program, cut)) break;
    }
    return repaired(program.solution());
  }

 private:
  bool add(LinearProgram& program, const Move& cut) const {
    std::vector<double> coefficients(upper_.size(), 0.0);
    for_each(cut.batch, [&](std::size_t i) { coefficients[i] = 1.0; });
    return program.add_cut(coefficients, static_cast<double>(cut.completion));
  }

  Move most_violated(const std::vector<double>& y) const {
    Move worst;
    double most = 1e-7;
    const auto compare = [&](const Move& move, double sum) {
      const double excess = sum / static_cast<double>(move.completion) - 1;
      if (excess <= most) return;
      most = excess;
      worst = move;
    };
    for (const Move& move : constraints_.listed()) {
      double sum = 0;
      for_each(move.batch, [&](std::size_t i) { sum += y[i]; });
      compare(move, sum);
    }
    knapsack_.heaviest(y, [&](Ticks level, double sum, Mask set) {
      if (std::popcount(set) > 1) compare({set, level}, sum);
    });
    return worst;
  }

  /// Rounded down, then scaled down by the worst ratio of a batch: exact, in integers.
  Weights repaired(const std::vector<double>& y) const {
    Weights weights(y.size());
    const double scale = std::ldexp(1.0, constraints_.shift());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double value = std::clamp(y[i], 0.0, upper_[i]);
      weights[i] =
          std::min(static_cast<std::int64_t>(value * scale), constraints_.scaled(source_.wcet(i)));
    }
    std::int64_t numerator = 1, denominator = 1;
    const auto lower = [&](Ticks completion, std::int64_t sum) {
      const std::int64_t allowed = constraints_.scaled(completion);
      if (static_cast<__int128>(allowed) * denominator < static_cast<__int128>(numerator) * sum) {
        numerator = allowed;
        denominator = sum;
      }
    };
    for (const Move& move : constraints_.listed()) {
      std::int64_t sum = 0;
      for_each(move.batch, [&](std::size_t i) { sum += weights[i]; });
      lower(move.completion, sum);
    }
    knapsack_.heaviest(weights, [&](Ticks level, std::int64_t sum, Mask set) {
      if (std::popcount(set) > 1) lower(level, sum);
    });
    for (std::int64_t& weight : weights) {
      weight = static_cast<std::int64_t>(static_cast<__int128>(weight) * numerator / denominator);
    }
    constraints_.raise(weights);
    return weights;
  }

  const WeightConstraints& constraints_;
  const BatchSource& source_;
  GroupKnapsack knapsack_;
  std::vector<double> upper_;
  std::vector<Move> cuts_;
};

/// Jobs of a kernel that arrive from `from` on and are due by `to`.
std::int64_t jobs_within(const Kernel& kernel, Ticks from, Ticks to) {
  const Ticks last = to - kernel.offset - kernel.deadline;
  if (last < 0) return 0;
  const Ticks before = from - kernel.offset;  // jobs that arrive before it do not count
  const Ticks first = before <= 0 ? 0 : (before + kernel.period - 1) / kernel.period;
  return std::max<std::int64_t>(last / kernel.period + 1 - first, 0);
}

}  // namespace

std::vector<Weights> lp_weights(const TaskSet& set, const WeightConstraints& constraints,
                                std::size_t most) {
  WeightProgram program(set, constraints);
  std::vector<Ticks> periods;
  for (const Kernel& kernel : set.kernels) periods.push_back(kernel.period);
  std::sort(periods.begin(), periods.end());
  periods.erase(std::unique(periods.begin(), periods.end()), periods.end());

  std::vector<Weights> vectors;
  const auto maximise = [&](auto jobs_of) {
    std::vector<double> objective;
    for (const Kernel& kernel : set.kernels) {
      objective.push_back(static_cast<double>(jobs_of(kernel)));
    }
    Weights weights = program.maximise(objective);
    if (std::find(vectors.begin(), vectors.end(), weights) == vectors.end()) {
      vectors.push_back(std::move(weights));
    }
  };
  maximise([&](const Kernel& kernel) { return set.hyperperiod / kernel.period; });
  for (std::size_t p = 0; p < periods.size() && vectors.size() < most; ++p) {
    maximise([&](const Kernel& kernel) { return jobs_within(kernel, 0, periods[p]); });
  }
  return vectors;
}

std::int64_t least_duration(const TaskSet& set, const WeightConstraints& constraints, Ticks from,
                            Ticks to) {
  std::vector<double> objective;
  for (const Kernel& kernel : set.kernels) {
    objective.push_back(static_cast<double>(jobs_within(kernel, from, to)));
  }
  if (std::all_of(objective.begin(), objective.end(), [](double jobs) { return jobs == 0; })) {
    return 0;
  }
  const Weights weights = WeightProgram(set, constraints).maximise(objective);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    sum += jobs_within(set.kernels[i], from, to) * weights[i];
  }
  return sum;
}

}  // namespace tactus::pbs
