#include "tactus/methods/gcaps/boost/choose_thresholds.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace tactus::gcaps::boost {
namespace {

/// How much of a deadline may be waited for a section that could be taken off: from "nothing that
/// can be avoided" to "never taken off".
constexpr std::array<Share, 11> kShares = {{{0, 1},
                                            {1, 100},
                                            {1, 50},
                                            {1, 25},
                                            {1, 15},
                                            {1, 10},
                                            {1, 7},
                                            {1, 5},
                                            {3, 10},
                                            {1, 2},
                                            {1, 0}}};

std::optional<Arrangement> passing(const View& view, Bounds& bounds,
                                   const std::vector<std::size_t>& order,
                                   std::span<const Share> shares) {
  std::optional<std::vector<std::size_t>> tried;
  for (const Share share : shares) {
    Arrangement arrangement = arranged(view, order, share);
    if (arrangement.limit == tried) continue;
    if (bounds.find(arrangement)) return arrangement;
    tried = std::move(arrangement.limit);  // limits fall from share to share
  }
  return std::nullopt;
}

/// A product of numbers that are not negative, exactly: 6 limbs hold five factors of 63 bits.
class Product {
 public:
  Product(std::initializer_list<std::int64_t> factors) {
    limbs_[0] = 1;
    for (const std::int64_t factor : factors) {
      unsigned __int128 carry = 0;
      for (std::uint64_t& limb : limbs_) {
        carry += static_cast<unsigned __int128>(limb) * static_cast<std::uint64_t>(factor);
        limb = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
    }
  }
  friend bool operator<(const Product& a, const Product& b) {
    return std::lexicographical_compare(a.limbs_.rbegin(), a.limbs_.rend(), b.limbs_.rbegin(),
                                        b.limbs_.rend());
  }

 private:
  std::array<std::uint64_t, 6> limbs_{};
};

/// What the keys of the orders are made of.
struct Figures {
  std::int64_t slack = 0;     ///< s: what is left of the deadline beside CPU and own GPU work
  std::int64_t deadline = 0;  ///< D
  std::int64_t load = 0;      ///< W: what it puts on the GPU
  std::int64_t eta = 0;
};

/// The response time on the core alone, without anything on the GPU; at most the deadline.
Time response_on_core(const View& view, std::size_t i) {
  const GpuTask& task = view.task(i);
  const Time own = task.cpu + task.launch;
  const auto above = view.set->hpp(i);
  const auto demand = [&](Time r) {
    Time sum = own;
    for (const std::size_t h : above) {
      const GpuTask& other = view.task(h);
      sum += jobs_in(r, *other.period, Time()) * (other.cpu + other.launch);
    }
    return sum;
  };
  const auto growths = [&](Time r, std::vector<Growth>& all) {
    for (const std::size_t h : above) {
      const GpuTask& other = view.task(h);
      all.push_back(growth_of_jobs(r, *other.period, Time(), other.cpu + other.launch));
    }
  };
  const FixedPoint found = least_fixed_point(own, task.deadline, demand, growths);
  return found.found() ? found.value : task.deadline;
}

Figures figures_of(const View& view, std::size_t i) {
  const GpuTask& task = view.task(i);
  const Time slack = clamp_at_zero(task.deadline - response_on_core(view, i) - task.exec);
  return {slack.ns(), task.deadline.ns(), (task.exec + task.eta() * view.costs.pair()).ns(),
          task.eta()};
}

/// Which of two tasks goes first on the GPU.
using Before = bool (*)(const Figures&, const Figures&);

/// Tasks with many short segments gain most from a high GPU priority, and hurt others least.
constexpr std::array<Before, 6> kOrders = {
    [](const Figures& a, const Figures& b) {
      return Product{a.slack, a.slack, a.load, b.eta, b.eta} <
             Product{b.slack, b.slack, b.load, a.eta, a.eta};
    },
    [](const Figures& a, const Figures& b) {
      return Product{a.deadline, a.deadline, a.load, b.eta, b.eta} <
             Product{b.deadline, b.deadline, b.load, a.eta, a.eta};
    },
    [](const Figures& a, const Figures& b) {
      return Product{a.slack, b.eta} < Product{b.slack, a.eta};
    },
    [](const Figures& a, const Figures& b) {
      return Product{a.deadline, b.eta} < Product{b.deadline, a.eta};
    },
    [](const Figures& a, const Figures& b) {
      return Product{a.deadline, a.load} < Product{b.deadline, b.load};
    },
    [](const Figures& a, const Figures& b) { return a.slack < b.slack; },
};

}  // namespace

std::span<const Share> all_shares() { return kShares; }

Choice choose_thresholds(const View& view, Bounds& bounds, std::span<const Share> shares) {
  if (view.thresholds_given || view.gpu_tasks.empty()) {
    Choice choice{arrangement_of_file(view)};
    choice.passes = bounds.find(choice.arrangement);
    return choice;
  }
  const std::vector<std::size_t> order = order_of_file(view);
  if (auto found = passing(view, bounds, order, shares)) return {std::move(*found), true};
  return {arranged(view, order, shares.front())};
}

Choice choose_order(const View& view, Bounds& bounds, std::span<const Share> shares) {
  Choice plain = choose_thresholds(view, bounds, shares);
  if (plain.passes) return plain;
  std::vector<Figures> figures(view.set->real_time);
  for (const std::size_t i : view.gpu_tasks) figures[i] = figures_of(view, i);
  std::vector<std::vector<std::size_t>> tried = {plain.arrangement.by_rank};
  for (const Before before : kOrders) {
    std::vector<std::size_t> order = view.gpu_tasks;  // ties: the higher CPU priority
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return before(figures[a], figures[b]); });
    if (std::find(tried.begin(), tried.end(), order) != tried.end()) continue;
    if (auto found = passing(view, bounds, order, shares)) return {std::move(*found), true, true};
    tried.push_back(std::move(order));
  }
  return plain;
}

}  // namespace tactus::gcaps::boost
