#include "tests/methods/gcaps/boost/naive.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "tests/methods/gcaps/naive.hpp"

namespace tactus::gcaps::boost::naive {
namespace {

using Number = __int128;
constexpr Ns kNone = -1;

struct Task {
  std::string name;
  Ns T = 0, D = 0;
  std::int64_t priority = 0, level = 0, core = 0;
  std::vector<Ns> P;  ///< eta + 1 of them
  std::vector<Ns> e;
  std::vector<Ns> launch;
  std::vector<std::optional<std::int64_t>> threshold;
  bool last_exists = true, best_effort = false;

  int eta() const { return static_cast<int>(e.size()); }
  Ns cpu_work() const {  // C + G^m
    Ns sum = 0;
    for (Ns p : P) sum += p;
    return sum;
  }
  Ns gpu_work() const {
    Ns sum = 0;
    for (Ns one : e) sum += one;
    return sum;
  }
};

struct Set {
  std::vector<Task> tasks;  ///< real-time, decreasing CPU priority
  bool best_effort_gpu = false, thresholds_given = false;
  Ns off = 0, on = 0, st = 0;
  std::int64_t arbiter = 0;
  Ns low() const { return off + std::max(on, st); }
  Ns pair() const { return off + on; }
};

Task cut(const System& system, const tactus::Task& source) {
  Task task;
  task.name = source.name;
  task.T = source.period ? source.period->ns() : 0;
  task.D = source.deadline ? source.deadline->ns() : task.T;
  task.core = *source.core;
  task.best_effort = source.best_effort;
  task.P.push_back(0);
  bool inside = false;
  for (NodeIndex index : gcaps::naive::walk(source)) {
    const Node& node = source.nodes[index];
    const bool cpu = system.platform.elements[node.on].kind == ElementKind::kCpu;
    task.last_exists = cpu;
    if (cpu) {
      task.P.back() += node.wcet->ns();
      inside = false;
      continue;
    }
    if (!inside) {
      task.P.push_back(0);
      task.e.push_back(0);
      task.launch.push_back(0);
      task.threshold.emplace_back();
    }
    inside = true;
    task.P[task.P.size() - 2] += node.launch.ns();
    task.launch.back() += node.launch.ns();
    task.e.back() += node.wcet->ns();
    if (node.gpu_threshold) {
      task.threshold.back() =
          std::max(task.threshold.back().value_or(INT64_MIN), *node.gpu_threshold);
    }
  }
  if (task.e.empty()) task.last_exists = true;
  return task;
}

Set make_set(const System& system) {
  Set set;
  for (const tactus::Task& source : system.tasks) {
    Task task = cut(system, source);
    if (source.best_effort) {
      set.best_effort_gpu = set.best_effort_gpu || !task.e.empty();
      continue;
    }
    task.priority = *source.priority;
    task.level = source.gpu_priority.value_or(task.priority);
    for (const auto& threshold : task.threshold) {
      set.thresholds_given = set.thresholds_given || threshold.has_value();
    }
    set.tasks.push_back(task);
  }
  std::sort(set.tasks.begin(), set.tasks.end(),
            [](const Task& a, const Task& b) { return a.priority > b.priority; });
  for (const Element& gpu : system.platform.elements) {
    if (gpu.kind != ElementKind::kGpu) continue;
    const Ns eps = gpu.runlist_update.value_or(Time()).ns();
    const Ns theta = gpu.context_switch.value_or(Time()).ns();
    set.off = eps - std::min(theta, eps) + gpu.preemption_delay.value_or(Time()).ns();
    set.on = eps;
    set.st = gpu.preempt_cost ? theta : std::min(theta, eps);
    if (gpu.preempt_cost) set.off = gpu.preempt_cost->ns();
    if (gpu.resume_cost) set.on = gpu.resume_cost->ns();
    if (gpu.start_cost) set.st = gpu.start_cost->ns();
    set.arbiter = gpu.arbiter_core.value_or(0);
  }
  return set;
}

Ns jobs(Ns r, Ns J, Ns T) { return r + J <= 0 ? 0 : (r + J + T - 1) / T; }

Ns fix(Ns s, Ns limit, const std::function<Ns(Ns)>& f) {
  for (Ns r = s;;) {
    if (r > limit) return kNone;
    const Ns next = std::max(s, f(r));
    if (next == r) return r;
    r = next;
  }
}

struct Piece {
  Ns c = 0, T = 1, J = 0;
};

/// The equations for one order (`rank`, by task; -1 for CPU-only) and one list of `tr`.
struct Equations {
  const Set& set;
  bool busy;
  Forget forget;
  std::vector<int> rank;
  std::vector<std::vector<int>> tr;
  std::vector<Ns> R;
  std::vector<std::vector<Ns>> F;

  int n() const { return static_cast<int>(set.tasks.size()); }
  const Task& at(int i) const { return set.tasks[static_cast<std::size_t>(i)]; }
  bool drops(Forget what) const { return forget == what; }
  Ns least() const { return drops(Forget::kEmptyPieces) ? 0 : 1; }
  Ns p(int i, int k) const { return std::max(at(i).P[static_cast<std::size_t>(k)], least()); }
  Ns length(int i, int k) const { return set.st + at(i).e[static_cast<std::size_t>(k)]; }
  Ns g(int i, int k) const { return std::max(length(i, k), least()); }
  int rk(int i) const { return rank[static_cast<std::size_t>(i)]; }
  int limit(int i, int k) const {
    return tr[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  }
  Ns done(int i, int k) const {
    return F[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  }

  std::vector<int> hpp(int i) const {
    std::vector<int> found;
    for (int h = 0; h < i; ++h) {
      if (at(h).core == at(i).core) found.push_back(h);
    }
    return found;
  }
  bool is_hpp(int h, int i) const { return h < i && at(h).core == at(i).core; }

  bool haslow(int i) const {
    bool found = set.best_effort_gpu;
    for (int l = 0; l < n(); ++l) {
      for (int k = 0; k < at(l).eta(); ++k) {
        found = found || (rk(l) > rk(i) && limit(l, k) > rk(i));
      }
    }
    return found;
  }
  Ns Block(int i, int units, Ns r) const {
    if (drops(Forget::kBlocking)) return 0;
    std::vector<Ns> choices;
    for (int l = 0; l < n(); ++l) {
      for (int k = 0; k < at(l).eta(); ++k) {
        if (rk(l) <= rk(i) || limit(l, k) > rk(i)) continue;
        const Ns times = std::min<Ns>(units, jobs(r, at(l).D, at(l).T));
        choices.insert(choices.end(), static_cast<std::size_t>(times), length(l, k));
      }
    }
    if (haslow(i)) choices.insert(choices.end(), static_cast<std::size_t>(units), set.low());
    std::sort(choices.rbegin(), choices.rend());
    Ns sum = 0;
    for (int u = 0; u < units && u < static_cast<int>(choices.size()); ++u) {
      sum += choices[static_cast<std::size_t>(u)];
    }
    return sum;
  }
  Ns B(int i) const { return Block(i, 1, 1); }

  bool has_pr(int h, int z) const {
    for (int x = 0; x < n(); ++x) {
      for (int k = 0; k < at(x).eta(); ++k) {
        if (rk(x) > rk(h) && limit(x, k) > rk(h) && (rk(x) <= z || limit(x, k) <= z)) return true;
      }
    }
    return false;
  }
  Ns pr(int h, int z) const { return has_pr(h, z) && !drops(Forget::kPair) ? set.pair() : 0; }
  Ns tail(int h, int z) const { return has_pr(h, z) && !drops(Forget::kPair) ? set.on : 0; }

  /// Both ways of counting a source.
  std::vector<std::vector<Piece>> source(int h, int z) const {
    const auto jitter = [&](Ns J) { return drops(Forget::kGpuJitters) ? 0 : std::max<Ns>(0, J); };
    Ns d = 0;
    std::vector<Piece> each;
    for (int q = 0; q < at(h).eta(); ++q) {
      const Ns dq = at(h).e[static_cast<std::size_t>(q)] + set.st + pr(h, z);
      each.push_back({dq, at(h).T, jitter(done(h, q) + tail(h, z) - dq)});
      d += dq;
    }
    const Piece all = {d, at(h).T, jitter(done(h, at(h).eta() - 1) + tail(h, z) - d)};
    return {{all}, each};
  }
  static Ns cheaper(const std::vector<std::vector<Piece>>& ways,
                    const std::function<Ns(const Piece&)>& count) {
    Ns best = INT64_MAX;
    for (const auto& way : ways) {
      Ns sum = 0;
      for (const Piece& piece : way) sum += piece.c * count(piece);
      best = std::min(best, sum);
    }
    return best;
  }
  Ns I(int h, int z, Ns r) const {
    return cheaper(source(h, z), [&](const Piece& x) { return jobs(r, x.J, x.T); });
  }

  struct Window {
    Ns S = kNone, w = kNone;
  };
  Window window(int i, int k) const {
    const Ns B = this->B(i), D = at(i).D;
    const int own = rk(i), limit = this->limit(i, k);
    const auto sum = [&](Ns r, int from, int to) {
      Ns total = 0;
      for (int h = 0; h < n(); ++h) {
        if (rk(h) >= from && rk(h) < to) total += I(h, own, r);
      }
      return total;
    };
    if (limit == own) {
      const Ns w = fix(B + g(i, k), D, [&](Ns r) { return B + g(i, k) + sum(r, 0, own); });
      return {w, w};
    }
    const Ns before = fix(B, D, [&](Ns r) { return B + sum(r + 1, 0, own); });
    if (before == kNone) return {};
    const Ns S = before + 1;
    const Ns w =
        fix(S, D, [&](Ns r) { return B + g(i, k) + sum(S, limit, own) + sum(r, 0, limit); });
    return {S, w};
  }
  Ns window_for(int i, int k, int h) const {
    const Window found = window(i, k);
    const Ns length = rk(h) < limit(i, k) ? found.w : found.S;
    if (length == kNone) return kNone;
    if (drops(Forget::kGpuWindows)) return 1;
    return drops(Forget::kHalfOfGpuWindows) ? length / 2 : length;
  }

  std::vector<std::vector<Piece>> cpu(int h) const {
    const Task& task = at(h);
    if (task.eta() == 0) return {{{task.cpu_work(), task.T, 0}}};
    const auto jitter = [&](Ns J) { return drops(Forget::kCpuJitters) ? 0 : std::max<Ns>(0, J); };
    std::vector<Piece> each = {{task.P[0], task.T, 0}};
    for (int j = 1; j <= task.eta(); ++j) {
      each.push_back({task.P[static_cast<std::size_t>(j)], task.T, jitter(done(h, j - 1))});
    }
    const Ns all = task.cpu_work();
    return {{{all, task.T, jitter(R[static_cast<std::size_t>(h)] - all)}}, each};
  }
  /// Every way in which somebody has the core of i before i has it.
  std::vector<std::vector<std::vector<Piece>>> cpu_causes(int i) const {
    std::vector<std::vector<std::vector<Piece>>> causes;
    for (int h : hpp(i)) causes.push_back(cpu(h));
    for (const Piece& piece : arbiter(i)) causes.push_back({{piece}});
    return causes;
  }
  std::vector<Piece> arbiter(int i) const {
    std::vector<Piece> pieces;
    if (at(i).core != set.arbiter) return pieces;
    const Ns st = drops(Forget::kArbiterStart) ? 0 : set.st;
    for (const Task& x : set.tasks) {
      if (x.eta() > 0) pieces.push_back({x.eta() * (st + set.off + set.on), x.T, x.D});
    }
    return pieces;
  }
  bool pays_best_effort(int i) const { return at(i).core == set.arbiter && set.best_effort_gpu; }

  Ns own(int i, int nc, int ng) const {
    Ns sum = 0;
    for (int k = 0; k < nc; ++k) sum += p(i, k);
    for (int k = 0; k < ng; ++k) sum += g(i, k);
    return sum;
  }

  Ns suspend(int i, int nc, int ng) const {
    const Ns D = at(i).D, each = pays_best_effort(i) ? set.st : 0;
    const auto causes = cpu_causes(i);
    std::vector<Ns> v;
    for (int k = 0; k < nc; ++k) {
      Ns length = fix(p(i, k), D, [&](Ns r) {
        Ns sum = p(i, k) + each;
        for (const auto& ways : causes) {
          sum += cheaper(ways, [&](const Piece& x) { return jobs(r, x.J, x.T); });
        }
        return sum;
      });
      if (length != kNone && drops(Forget::kHalfOfCpuWindows)) length /= 2;
      v.push_back(length);
    }
    const auto counted = [](Ns r, const Piece& x, const std::vector<Ns>& windows) {
      Ns in_windows = 0;
      for (Ns length : windows) {
        if (length == kNone) return jobs(r, x.J, x.T);
        in_windows += jobs(length, x.J, x.T);
      }
      return std::min(jobs(r, x.J, x.T), in_windows);
    };
    std::vector<std::pair<std::vector<std::vector<Piece>>, std::vector<Ns>>> gpu;
    for (int h = 0; h < n() && ng > 0; ++h) {
      if (rk(h) < 0 || rk(h) >= rk(i)) continue;
      std::vector<Ns> windows;
      for (int k = 0; k < ng; ++k) windows.push_back(window_for(i, k, h));
      gpu.emplace_back(source(h, rk(i)), windows);
    }
    const Ns start = own(i, nc, ng);
    return fix(start, D, [&](Ns r) {
      Ns sum = start + nc * each + (ng > 0 ? Block(i, ng, r) : 0);
      for (const auto& ways : causes) {
        sum += cheaper(ways, [&](const Piece& x) { return counted(r, x, v); });
      }
      for (const auto& [ways, windows] : gpu) {
        sum += cheaper(ways, [&, w = windows](const Piece& x) { return counted(r, x, w); });
      }
      return sum;
    });
  }

  Ns spin(int i, int nc, int ng) const {
    std::vector<int> Y;
    for (int h : hpp(i)) {
      if (at(h).eta() > 0) Y.push_back(h);
    }
    if (at(i).eta() > 0) Y.push_back(i);
    int zr = -1;
    for (int y : Y) zr = std::max(zr, rk(y));
    struct Source {
      int h;
      std::vector<std::vector<Piece>> ways;
      std::map<int, std::vector<Ns>> windows;  ///< by y
    };
    std::vector<Source> sources;
    for (int h = 0; h < n(); ++h) {
      if (rk(h) < 0 || rk(h) >= zr || is_hpp(h, i) || h == i) continue;
      Source made{h, source(h, zr), {}};
      for (int y : Y) {
        if (rk(y) <= rk(h)) continue;
        for (int k = 0; k < (y == i ? ng : at(y).eta()); ++k) {
          made.windows[y].push_back(window_for(y, k, h));
        }
      }
      sources.push_back(made);
    }
    const Ns start = own(i, nc, ng);
    return fix(start, at(i).D, [&](Ns r) {
      Ns sum = start + (ng > 0 ? Block(i, ng, r) : 0) + (pays_best_effort(i) ? set.st : 0);
      for (const Piece& x : arbiter(i)) sum += x.c * jobs(r, x.J, x.T);
      for (int h : hpp(i)) {
        Ns each = at(h).cpu_work() + at(h).gpu_work();
        if (at(h).eta() > 0) each += at(h).eta() * (set.st + B(h) + tail(h, zr));
        sum += jobs(r, 0, at(h).T) * each;
      }
      for (const Source& one : sources) {
        sum += cheaper(one.ways, [&](const Piece& x) {
          Ns in_windows = 0;
          for (const auto& [y, windows] : one.windows) {
            for (Ns length : windows) {
              if (length == kNone) return jobs(r, x.J, x.T);
              in_windows += (y == i ? 1 : jobs(r, 0, at(y).T)) * jobs(length, x.J, x.T);
            }
          }
          return std::min(jobs(r, x.J, x.T), in_windows);
        });
      }
      return sum;
    });
  }

  /// The new F and R of a task; nothing when there is none within its deadline.
  std::optional<std::pair<std::vector<Ns>, Ns>> values(int i) const {
    const auto prefix = [&](int nc, int ng) { return busy ? spin(i, nc, ng) : suspend(i, nc, ng); };
    std::vector<Ns> completions;
    for (int k = 1; k <= at(i).eta(); ++k) {
      completions.push_back(prefix(k, k));
      if (completions.back() == kNone) return std::nullopt;
    }
    if (!at(i).last_exists) return std::pair(completions, completions.back());
    const Ns response = prefix(at(i).eta() + 1, at(i).eta());
    if (response == kNone) return std::nullopt;
    return std::pair(completions, response);
  }

  /// How many tasks from the top have a bound: all, or fewer. Out of order it is all or none.
  int solve() {
    bool in_order = true;
    for (int a = 0; a < n(); ++a) {
      for (int b = a + 1; b < n(); ++b) {
        in_order = in_order && (rk(a) < 0 || rk(b) < 0 || rk(a) < rk(b));
      }
    }
    for (const Task& task : set.tasks) {
      R.push_back(task.cpu_work() + task.gpu_work());
      F.emplace_back();
      Ns sum = 0;
      for (int k = 0; k < task.eta(); ++k) {
        sum += task.P[static_cast<std::size_t>(k)] + task.e[static_cast<std::size_t>(k)];
        F.back().push_back(sum);
      }
    }
    if (in_order) {
      for (int i = 0; i < n(); ++i) {
        const auto found = values(i);
        if (!found) return i;
        std::tie(F[static_cast<std::size_t>(i)], R[static_cast<std::size_t>(i)]) = *found;
      }
      return n();
    }
    // All from the values of the round before.
    for (bool changed = true; changed;) {
      const Equations before = *this;
      changed = false;
      for (int i = 0; i < n(); ++i) {
        const auto found = before.values(i);
        if (!found) return 0;
        std::tie(F[static_cast<std::size_t>(i)], R[static_cast<std::size_t>(i)]) = *found;
      }
      changed = F != before.F || R != before.R;
    }
    return n();
  }
};

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
