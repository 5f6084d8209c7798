#include "tests/methods/gcaps/boost/naive.hpp"

#include <algorithm>
#include <set>

#include "tests/methods/gcaps/boost/naive_equations.hpp"

namespace tactus::gcaps::boost::naive {
namespace {

using Number = __int128;

/// Every GPU task, the most urgent first.
using Order = std::vector<int>;

Equations equations(const Set& set, bool busy, Forget forget, const Order& order) {
  Equations made{set, busy, forget, std::vector<int>(set.tasks.size(), -1), {}, {}, {}};
  for (std::size_t r = 0; r < order.size(); ++r) {
    made.rank[static_cast<std::size_t>(order[r])] = static_cast<int>(r);
  }
  made.tr.resize(set.tasks.size());
  return made;
}

struct Attempt {
  Equations result;
  int found = 0;
  bool all() const { return found == result.n(); }
};

Attempt with_file_thresholds(const Set& set, bool busy, Forget forget, const Order& order) {
  Equations made = equations(set, busy, forget, order);
  for (std::size_t i = 0; i < set.tasks.size(); ++i) {
    for (const auto& threshold : set.tasks[i].threshold) {
      const std::int64_t value = threshold.value_or(set.tasks[i].level);
      made.tr[i].push_back(static_cast<int>(std::count_if(order.begin(), order.end(), [&](int y) {
        return set.tasks[static_cast<std::size_t>(y)].level > value;
      })));
    }
  }
  const int found = made.solve();
  return {made, found};
}

/// The first list of thresholds that passes; else that for lambda = 0.
Attempt with_searched_thresholds(const Set& set, bool busy, Forget forget, const Order& order) {
  const std::vector<std::pair<int, int>> lambdas = {{0, 1},  {1, 100}, {1, 50}, {1, 25},
                                                    {1, 15}, {1, 10},  {1, 7},  {1, 5},
                                                    {3, 10}, {1, 2},   {1, 0}};
  std::optional<Attempt> first;
  std::set<std::vector<std::vector<int>>> tried;
  for (const auto& [top, bottom] : lambdas) {
    Equations made = equations(set, busy, forget, order);
    for (int i = 0; i < made.n(); ++i) {
      for (int k = 0; k < made.at(i).eta(); ++k) {
        int tr = made.rk(i);
        while (tr > 0) {
          const Task& y = made.at(order[static_cast<std::size_t>(tr - 1)]);
          const Ns length = made.length(i, k);
          const bool short_enough =
              bottom == 0 || static_cast<Number>(length) * bottom <= static_cast<Number>(y.D) * top;
          if (length > set.low() && !short_enough) break;
          --tr;
        }
        made.tr[static_cast<std::size_t>(i)].push_back(tr);
      }
    }
    if (!tried.insert(made.tr).second) continue;
    const int found = made.solve();
    if (found == made.n()) return {made, found};
    if (!first) first.emplace(Attempt{made, found});
  }
  return *first;
}

/// Compares products of up to five 63-bit numbers digit by digit, base 2^32.
std::vector<std::uint64_t> product(std::vector<Ns> factors) {
  std::vector<std::uint64_t> digits = {1};
  for (Ns factor : factors) {
    const std::uint64_t lower = static_cast<std::uint64_t>(factor) & 0xffffffffU;
    const std::uint64_t upper = static_cast<std::uint64_t>(factor) >> 32;
    std::vector<std::uint64_t> next(digits.size() + 3, 0);
    const auto add_at = [&](std::size_t place, std::uint64_t value) {
      while (value > 0) {
        value += next[place];
        next[place++] = value & 0xffffffffU;
        value >>= 32;
      }
    };
    for (std::size_t d = 0; d < digits.size(); ++d) {
      add_at(d, digits[d] * lower);
      add_at(d + 1, digits[d] * upper);
    }
    digits = next;
  }
  while (digits.size() > 1 && digits.back() == 0) digits.pop_back();
  return digits;
}
bool smaller(const std::vector<Ns>& a, const std::vector<Ns>& b) {
  const auto x = product(a), y = product(b);
  if (x.size() != y.size()) return x.size() < y.size();
  return std::lexicographical_compare(x.rbegin(), x.rend(), y.rbegin(), y.rend());
}

Order searched_order(const Set& set, int which) {
  struct Candidate {
    int task;
    Ns s, D, W, eta;
  };
  std::vector<Candidate> all;
  for (int i = 0; i < static_cast<int>(set.tasks.size()); ++i) {
    const Task& task = set.tasks[static_cast<std::size_t>(i)];
    if (task.eta() == 0) continue;
    Ns X = fix(task.cpu_work(), task.D, [&](Ns r) {
      Ns sum = task.cpu_work();
      for (int h = 0; h < i; ++h) {
        const Task& above = set.tasks[static_cast<std::size_t>(h)];
        if (above.core == task.core) sum += jobs(r, 0, above.T) * above.cpu_work();
      }
      return sum;
    });
    if (X == kNone) X = task.D;
    all.push_back({i, std::max<Ns>(0, task.D - X - task.gpu_work()), task.D,
                   task.gpu_work() + task.eta() * set.pair(), task.eta()});
  }
  std::stable_sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
    switch (which) {
      case 0:
        return smaller({a.s, a.s, a.W, b.eta, b.eta}, {b.s, b.s, b.W, a.eta, a.eta});
      case 1:
        return smaller({a.D, a.D, a.W, b.eta, b.eta}, {b.D, b.D, b.W, a.eta, a.eta});
      case 2:
        return smaller({a.s, b.eta}, {b.s, a.eta});
      case 3:
        return smaller({a.D, b.eta}, {b.D, a.eta});
      case 4:
        return smaller({a.D, a.W}, {b.D, b.W});
      default:
        return a.s < b.s;
    }
  });
  Order order;
  for (const Candidate& one : all) order.push_back(one.task);
  return order;
}

Answer answer_of(const Set& set, const Attempt& attempt, const Order& order, bool own_levels) {
  Answer answer;
  answer.schedulable = attempt.all();
  std::vector<std::int64_t> levels;
  for (const Task& task : set.tasks) levels.push_back(task.level);
  if (own_levels) {
    auto next = static_cast<std::int64_t>(set.tasks.size());
    for (int i : order) levels[static_cast<std::size_t>(i)] = next--;
    for (std::size_t i = 0; i < set.tasks.size(); ++i) {
      if (set.tasks[i].eta() == 0) levels[i] = next--;
    }
  }
  for (std::size_t i = 0; i < set.tasks.size(); ++i) {
    const std::string& name = set.tasks[i].name;
    const bool found = static_cast<int>(i) < attempt.found;
    answer.responses[name] = found ? std::optional(attempt.result.R[i]) : std::nullopt;
    answer.gpu_priorities[name] = levels[i];
    if (set.tasks[i].eta() == 0) continue;
    if (found) answer.completions[name] = attempt.result.F[i];
    for (int tr : attempt.result.tr[i]) {
      const int spared = order[static_cast<std::size_t>(tr)];
      answer.thresholds[name].push_back(levels[static_cast<std::size_t>(spared)]);
    }
  }
  return answer;
}

}  // namespace

Answer analyze(const System& system, bool busy, bool search_order, Forget forget) {
  const Set set = make_set(system);
  Order order;
  for (int i = 0; i < static_cast<int>(set.tasks.size()); ++i) {
    if (set.tasks[static_cast<std::size_t>(i)].eta() > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return set.tasks[static_cast<std::size_t>(a)].level >
           set.tasks[static_cast<std::size_t>(b)].level;
  });
  if (set.thresholds_given) {
    return answer_of(set, with_file_thresholds(set, busy, forget, order), order, false);
  }
  const Attempt plain = with_searched_thresholds(set, busy, forget, order);
  if (plain.all() || !search_order) return answer_of(set, plain, order, false);
  for (int which = 0; which < 6; ++which) {
    const Order other = searched_order(set, which);
    if (other == order) continue;
    const Attempt attempt = with_searched_thresholds(set, busy, forget, other);
    if (attempt.all()) return answer_of(set, attempt, other, true);
  }
  return answer_of(set, plain, order, false);
}

}  // namespace tactus::gcaps::boost::naive
