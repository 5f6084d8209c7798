#include "tactus/methods/pbs/weights/frame_proof.hpp"

#include <algorithm>
#include <cmath>

#include "tactus/methods/pbs/weights/linear_program.hpp"

namespace tactus::pbs {
namespace {

constexpr int kMostRounds = 400;
constexpr double kNothing = 1e-9;  ///< in parts of the horizon
constexpr double kEnough = 1e-7;   ///< surplus that survives the rounding to integers

using Length = FramePlaces::Length;
using Place = FramePlaces::Place;

}  // namespace

FrameProof::FrameProof(const FramePlaces& places, const BatchSource& source, int shift,
                       std::function<bool()> give_up)
    : places_(places),
      source_(source),
      sizes_(source),
      shift_(shift),
      give_up_(std::move(give_up)) {}

bool FrameProof::found(int most_programs) {
  if (places_.kernel_of_job.empty() || places_.kernel_of_job.size() > kMostJobs ||
      places_.intervals.size() > kMostIntervals) {
    return false;
  }
  programs_left_ = most_programs;
  return refute(Fixed(places_.kernel_of_job.size(), kAnywhere), first_cuts());
}

bool FrameProof::allowed(const Fixed& fixed, const Cut& cut) const {
  const Place& place = places_.places[cut.place];
  bool all = true;
  for_each(cut.batch, [&](std::size_t i) {
    const std::int32_t where = fixed[places_.job(place, i)];
    all = all && (where == kAnywhere || where == static_cast<std::int32_t>(cut.place));
  });
  return all;
}

/// Every job alone in each of its places: they bound every price from the start.
std::vector<FrameProof::Cut> FrameProof::first_cuts() const {
  std::vector<Cut> cuts;
  for (std::uint32_t p = 0; p < places_.places.size(); ++p) {
    const std::vector<Length>& lengths = places_.places[p].lengths;
    for (std::uint32_t l = 0; l < lengths.size(); ++l) {
      if (lengths[l].kind == Length::Kind::kAlone) cuts.push_back({p, l, lengths[l].members});
    }
  }
  return cuts;
}

bool FrameProof::refute(const Fixed& fixed, std::vector<Cut> cuts) {
  if (programs_left_-- <= 0) return false;
  std::optional<Branch> branch;
  const Outcome outcome = solve(fixed, cuts, branch);
  if (outcome == Outcome::kRefuted) return true;
  if (outcome == Outcome::kGivenUp || !branch) return false;
  Fixed with = fixed;
  return std::all_of(branch->places.begin(), branch->places.end(), [&](std::int32_t place) {
    with[branch->job] = place;
    std::vector<Cut> still;
    std::copy_if(cuts.begin(), cuts.end(), std::back_inserter(still),
                 [&](const Cut& cut) { return allowed(with, cut); });
    return refute(with, std::move(still));
  });
}

FrameProof::Prices FrameProof::prices_of(const std::vector<double>& solution) const {
  // The program has the prices of jobs as they are, the others as distances to 1.
  Prices prices;
  const std::size_t jobs = places_.kernel_of_job.size(), intervals = places_.intervals.size();
  const auto at = [&](std::size_t from, std::size_t count) {
    const auto begin = solution.begin() + static_cast<std::ptrdiff_t>(from);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  prices.job = at(0, jobs);
  prices.interval = at(jobs, intervals);
  prices.point = at(jobs + intervals, places_.points);
  const auto horizon = static_cast<double>(places_.horizon);
  for (double& price : prices.job) prices.jobs += price = std::clamp(price, 0.0, 1.0);
  for (std::size_t v = 0; v < intervals; ++v) {
    prices.interval[v] = std::clamp(1 - prices.interval[v], 0.0, 1.0);
    const auto& interval = places_.intervals[v];
    prices.worth += prices.interval[v] * static_cast<double>(interval.to - interval.from) / horizon;
  }
  for (double& price : prices.point) prices.worth += price = std::clamp(1 - price, 0.0, 1.0);
  return prices;
}

double FrameProof::paid_by(const Place& place, const Length& length, const Prices& prices) const {
  double sum = 0;
  for (std::size_t v = 0; v < length.inside.size(); ++v) {
    sum += prices.interval[v] * static_cast<double>(length.inside[v]);
  }
  sum /= static_cast<double>(places_.horizon);
  for (const std::size_t point : place.crossed) sum += prices.point[point];
  return sum;
}

template <typename Value, typename Visit>
void FrameProof::for_each_dearest(const Fixed& fixed, const std::vector<Value>& job_prices,
                                  Visit visit) const {
  for (std::uint32_t p = 0; p < places_.places.size(); ++p) {
    const Place& place = places_.places[p];
    Mask members = 0;
    for_each(place.members, [&](std::size_t i) {
      const std::int32_t where = fixed[places_.job(place, i)];
      if (where == kAnywhere || where == static_cast<std::int32_t>(p)) members |= bit(i);
    });
    std::optional<Knapsack<Value>> knapsack;
    Mask inside = 0;
    for (std::uint32_t l = 0; l < place.lengths.size(); ++l) {
      const Length& length = place.lengths[l];
      if (length.kind == Length::Kind::kByLevel) {
        // Longer levels have the members of the shorter ones.
        if (!knapsack) knapsack.emplace(sizes_);
        for_each(length.members & members & ~inside,
                 [&](std::size_t i) { knapsack->put(i, job_prices[places_.job(place, i)]); });
        inside |= length.members & members;
        visit(p, l, knapsack->heaviest(), knapsack->chosen());
        continue;
      }
      if ((length.members & ~members) != 0) continue;
      Value sum{};
      for_each(length.members, [&](std::size_t i) { sum += job_prices[places_.job(place, i)]; });
      visit(p, l, sum, length.members);
    }
  }
}

/// Of each place the frame that holds jobs for most more than it pays. `least_ratio` of the prices
/// would be in order.
std::vector<FrameProof::Cut> FrameProof::violated(const Fixed& fixed, const Prices& prices,
                                                  double& least_ratio) const {
  std::vector<Cut> cuts;
  double most = 0;
  least_ratio = 1;
  for_each_dearest(fixed, prices.job,
                   [&](std::uint32_t p, std::uint32_t l, double value, Mask batch) {
                     const Place& place = places_.places[p];
                     const double paid = paid_by(place, place.lengths[l], prices);
                     if (value <= paid + kNothing) return;
                     least_ratio = std::min(least_ratio, paid / value);
                     const bool first = cuts.empty() || cuts.back().place != p;
                     if (!first && value - paid <= most) return;
                     most = value - paid;
                     if (first) cuts.emplace_back();
                     cuts.back() = {p, l, batch};
                   });
  return cuts;
}

bool FrameProof::holds_in_integers(const Fixed& fixed, const Prices& prices) const {
  using Wide = __int128;
  const double tick = std::ldexp(1.0, shift_), whole = tick * static_cast<double>(places_.horizon);
  const auto up = [](double value) { return static_cast<std::int64_t>(std::ceil(value)); };
  std::vector<std::int64_t> job, interval, point;
  for (const double price : prices.job) job.push_back(static_cast<std::int64_t>(price * whole));
  for (const double price : prices.interval) interval.push_back(up(price * tick));
  for (const double price : prices.point) point.push_back(up(price * whole));
  // Frames that hold too much lower all prices of jobs by the same ratio.
  std::int64_t numerator = 1, denominator = 1;
  for_each_dearest(fixed, job, [&](std::uint32_t p, std::uint32_t l, std::int64_t value, Mask) {
    const Place& place = places_.places[p];
    const std::vector<Ticks>& inside = place.lengths[l].inside;
    Wide paid = 0;
    for (std::size_t v = 0; v < inside.size(); ++v) {
      paid += static_cast<Wide>(interval[v]) * inside[v];
    }
    for (const std::size_t crossed : place.crossed) paid += point[crossed];
    if (value <= paid) return;
    if (paid * denominator < static_cast<Wide>(numerator) * value) {
      numerator = static_cast<std::int64_t>(paid);  // below `value`
      denominator = value;
    }
  });
  Wide surplus = 0;
  for (const std::int64_t price : job)
    surplus += static_cast<Wide>(price) * numerator / denominator;
  for (std::size_t v = 0; v < interval.size(); ++v) {
    const auto& [from, to] = places_.intervals[v];
    surplus -= static_cast<Wide>(interval[v]) * (to - from);
  }
  for (const std::int64_t price : point) surplus -= price;
  return surplus > 0;
}

FrameProof::Outcome FrameProof::solve(const Fixed& fixed, std::vector<Cut>& cuts,
                                      std::optional<Branch>& branch) {
  const std::size_t jobs = places_.kernel_of_job.size(), intervals = places_.intervals.size();
  const auto horizon = static_cast<double>(places_.horizon);
  std::vector<double> objective(jobs, 1.0);
  for (const auto& [from, to] : places_.intervals) {
    objective.push_back(static_cast<double>(to - from) / horizon);
  }
  objective.resize(jobs + intervals + places_.points, 1.0);
  LinearProgram program(objective, std::vector<double>(objective.size(), 1.0));
  const auto append = [&](const Cut& cut) {
    const Place& place = places_.places[cut.place];
    const Length& length = place.lengths[cut.length];
    std::vector<double> row(objective.size(), 0.0);
    double bound = 0;
    for_each(cut.batch, [&](std::size_t i) { row[places_.job(place, i)] = 1; });
    for (std::size_t v = 0; v < intervals; ++v) {
      bound += row[jobs + v] = static_cast<double>(length.inside[v]) / horizon;
    }
    for (const std::size_t point : place.crossed) bound += row[jobs + intervals + point] = 1;
    program.append_cut(row, bound);
  };
  std::for_each(cuts.begin(), cuts.end(), append);
  for (int round = 0; round < kMostRounds; ++round) {
    if (give_up_() || !program.solve()) return Outcome::kGivenUp;
    const Prices prices = prices_of(program.solution());
    if (prices.surplus() <= kEnough) break;  // more cuts only lower it
    double ratio = 1;
    const std::vector<Cut> more = violated(fixed, prices, ratio);
    if (ratio * prices.jobs - prices.worth > kEnough && holds_in_integers(fixed, prices)) {
      return Outcome::kRefuted;
    }
    if (more.empty() || round + 1 == kMostRounds) return Outcome::kGivenUp;
    if (program.rows() > 4 * objective.size()) program.drop_loose_cuts();
    std::for_each(more.begin(), more.end(), append);
    cuts.insert(cuts.end(), more.begin(), more.end());
  }

  // The multipliers say which share of a job is in which place.
  std::vector<std::vector<double>> share(jobs, std::vector<double>(places_.places.size(), 0.0));
  std::vector<Cut> tight;
  program.for_each_tight_cut([&](std::size_t number, double multiplier) {
    const Cut& cut = cuts[number];
    tight.push_back(cut);
    for_each(cut.batch, [&](std::size_t i) {
      share[places_.job(places_.places[cut.place], i)][cut.place] += multiplier;
    });
  });
  double most = kEnough;
  for (std::uint32_t j = 0; j < jobs; ++j) {
    if (fixed[j] != kAnywhere) continue;
    const double split = 1 - *std::max_element(share[j].begin(), share[j].end());
    const double score = split * static_cast<double>(source_.wcet(places_.kernel_of_job[j]));
    if (score <= most) continue;
    most = score;
    branch = Branch{j, {}};
  }
  cuts = std::move(tight);
  if (!branch) return Outcome::kFractions;
  for (std::uint32_t p = 0; p < places_.places.size(); ++p) {
    const Place& place = places_.places[p];
    const std::uint8_t kernel = places_.kernel_of_job[branch->job];
    if ((place.members & bit(kernel)) != 0 && places_.job(place, kernel) == branch->job) {
      branch->places.push_back(static_cast<std::int32_t>(p));
    }
  }
  const std::vector<double>& shares = share[branch->job];
  std::stable_sort(
      branch->places.begin(), branch->places.end(), [&](std::int32_t a, std::int32_t b) {
        return shares[static_cast<std::size_t>(a)] > shares[static_cast<std::size_t>(b)];
      });
  return Outcome::kFractions;
}

}  // namespace tactus::pbs
