#include "tactus/methods/pbs/weights/lp_weights.hpp"

#include <algorithm>
#include <cmath>

#include "tactus/methods/pbs/weights/linear_program.hpp"

namespace tactus::pbs {
namespace {

/// Capacities above this are scaled down to it; sizes are then rounded down, which admits more
/// sets, never fewer.
constexpr std::int64_t kMostCapacity = 4096;
constexpr int kMostCuts = 400;

/// For each group the heaviest set of its members that fits, by 0/1 knapsacks. Most groups have all
/// members of the one before, and go on with its knapsack.
class GroupKnapsack {
 public:
  explicit GroupKnapsack(const WeightConstraints& constraints) : constraints_(constraints) {
    const BatchSource& source = constraints.source();
    if (!source.by_level()) return;
    std::int64_t total = 0;
    for (const std::int64_t size : source.sizes()) {
      total += std::min(size, source.capacity());
    }
    // Sizes 0: every set fits, and a knapsack of capacity 0 takes everything.
    const bool unbounded = total <= source.capacity();
    capacity_ = unbounded ? 0 : std::min(source.capacity(), kMostCapacity);
    for (const std::int64_t size : source.sizes()) {
      // A kernel that does not fit at all is in no batch.
      const bool joins = size <= source.capacity();
      const __int128 scaled =
          static_cast<__int128>(size) * capacity_ / std::max<std::int64_t>(source.capacity(), 1);
      sizes_.push_back(joins ? (unbounded ? 0 : static_cast<std::int64_t>(scaled)) : -1);
    }
  }

  /// Calls `visit(completion, sum, set)` with the heaviest set of each group.
  template <typename Value, typename Visit>
  void heaviest(const std::vector<Value>& values, Visit visit) const {
    std::vector<Value> best;
    std::vector<Mask> chosen;
    Mask inside = 0;
    for (const WeightConstraints::Group& group : constraints_.groups()) {
      if (best.empty() || (inside & ~group.members) != 0) {
        best.assign(static_cast<std::size_t>(capacity_) + 1, Value{});
        chosen.assign(best.size(), 0);
        inside = 0;
      }
      for_each(group.members & ~inside, [&](std::size_t i) {
        if (sizes_[i] < 0) return;
        const auto size = static_cast<std::size_t>(sizes_[i]);
        for (std::size_t room = best.size(); room-- > size;) {
          const Value with = best[room - size] + values[i];
          if (with <= best[room]) continue;
          best[room] = with;
          chosen[room] = chosen[room - size] | bit(i);
        }
      });
      inside = group.members;
      visit(group.completion, best.back(), chosen.back());
    }
  }

 private:
  const WeightConstraints& constraints_;
  std::vector<std::int64_t> sizes_;
  std::int64_t capacity_ = 0;
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
    maximise([&](const Kernel& kernel) {
      const Ticks span = periods[p] - kernel.offset - kernel.deadline;
      return span < 0 ? 0 : span / kernel.period + 1;
    });
  }
  return vectors;
}

}  // namespace tactus::pbs
