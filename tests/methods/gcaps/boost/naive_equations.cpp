#include "tests/methods/gcaps/boost/naive_equations.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "tests/methods/gcaps/naive.hpp"

namespace tactus::gcaps::boost::naive {

Ns jobs(Ns r, Ns J, Ns T) { return r + J <= 0 ? 0 : (r + J + T - 1) / T; }

Ns fix(Ns s, Ns limit, const std::function<Ns(Ns)>& f) {
  for (Ns r = s;;) {
    if (r > limit) return kNone;
    const Ns next = std::max(s, f(r));
    if (next == r) return r;
    r = next;
  }
}

namespace {

Ns cheaper(const Ways& ways, const std::function<Ns(const Piece&)>& count) {
  Ns best = INT64_MAX;
  for (const auto& way : ways) {
    Ns sum = 0;
    for (const Piece& piece : way) sum += piece.c * count(piece);
    best = std::min(best, sum);
  }
  return best;
}

}  // namespace

std::vector<int> Equations::hpp(int i) const {
  std::vector<int> found;
  for (int h = 0; h < i; ++h) {
    if (at(h).core == at(i).core) found.push_back(h);
  }
  return found;
}

Ns Equations::K(int i, int k, Forget dropped) const {
  if (drops(dropped)) return 0;
  Ns sum = 0;
  for (std::size_t element = 0; element < set.units.size(); ++element) {
    const auto longest_run = [&](const Task& task, int segment) {
      Ns longest = -1;
      for (const CopyRun& run : task.runs) {
        if (segment < 0 || run.segment == segment) longest = std::max(longest, run.on[element]);
      }
      return longest;
    };
    if (longest_run(at(i), k) < 0) continue;
    std::vector<Ns> lower;
    for (int l = 0; l < n(); ++l) {
      if (rk(l) > rk(i)) lower.push_back(std::max<Ns>(0, longest_run(at(l), -1)));
    }
    for (const Task& task : set.best_effort) {
      lower.push_back(std::max<Ns>(0, longest_run(task, -1)));
    }
    sum += gcaps::naive::wait_behind(lower, set.units[element]);
  }
  return sum;
}

bool Equations::haslow(int i) const {
  bool found = set.best_effort_gpu;
  for (int l = 0; l < n(); ++l) {
    for (int k = 0; k < at(l).eta(); ++k) {
      found = found || (rk(l) > rk(i) && limit(l, k) > rk(i));
    }
  }
  return found;
}

Ns Equations::Block(int i, int units, Ns r) const {
  if (drops(Forget::kBlocking)) return 0;
  std::vector<Ns> choices;
  for (int l = 0; l < n(); ++l) {
    for (int k = 0; k < at(l).eta(); ++k) {
      if (rk(l) <= rk(i) || limit(l, k) > rk(i)) continue;
      const Ns times = std::min<Ns>(units, jobs(r, at(l).D, at(l).T));
      choices.insert(choices.end(), static_cast<std::size_t>(times),
                     length(l, k) + K(l, k, Forget::kItemCopies));
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

bool Equations::has_pr(int h, int z) const {
  for (int x = 0; x < n(); ++x) {
    for (int k = 0; k < at(x).eta(); ++k) {
      if (rk(x) > rk(h) && limit(x, k) > rk(h) && (rk(x) <= z || limit(x, k) <= z)) return true;
    }
  }
  return false;
}

Ways Equations::source(int h, int z) const {
  const auto jitter = [&](Ns J) { return drops(Forget::kGpuJitters) ? 0 : std::max<Ns>(0, J); };
  Ns d = 0;
  std::vector<Piece> each;
  for (int q = 0; q < at(h).eta(); ++q) {
    const Ns dq =
        at(h).e[static_cast<std::size_t>(q)] + set.st + pr(h, z) + K(h, q, Forget::kSourceCopies);
    each.push_back({dq, at(h).T, jitter(done(h, q) + tail(h, z) - dq)});
    d += dq;
  }
  const Piece all = {d, at(h).T, jitter(done(h, at(h).eta() - 1) + tail(h, z) - d)};
  return {{all}, each};
}

Ns Equations::I(int h, int z, Ns r) const {
  return cheaper(source(h, z), [&](const Piece& x) { return jobs(r, x.J, x.T); });
}

Equations::Window Equations::window(int i, int k) const {
  const Ns B = this->B(i), D = this->D(i);
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
  const Ns w = fix(S, D, [&](Ns r) { return B + g(i, k) + sum(S, limit, own) + sum(r, 0, limit); });
  return {S, w};
}

Ns Equations::window_for(int i, int k, int h) const {
  const Window found = window(i, k);
  const Ns length = rk(h) < limit(i, k) ? found.w : found.S;
  if (length == kNone) return kNone;
  if (drops(Forget::kGpuWindows)) return 1;
  return drops(Forget::kHalfOfGpuWindows) ? length / 2 : length;
}

Ways Equations::cpu(int h) const {
  const Task& task = at(h);
  if (set.cpu_budget_notice) {
    const Ns work = task.cpu_work();
    return {{{work + *set.cpu_budget_notice, task.T,
              std::max<Ns>(0, R[static_cast<std::size_t>(h)] - work)}}};
  }
  if (task.eta() == 0) return {{{task.cpu_work(), task.T, J(h)}}};
  const auto jitter = [&](Ns J) { return drops(Forget::kCpuJitters) ? 0 : std::max<Ns>(0, J); };
  std::vector<Piece> each = {{task.P[0], task.T, J(h)}};
  for (int j = 1; j <= task.eta(); ++j) {
    each.push_back({task.P[static_cast<std::size_t>(j)], task.T, jitter(done(h, j - 1))});
  }
  const Ns all = task.cpu_work();
  return {{{all, task.T, jitter(R[static_cast<std::size_t>(h)] - all)}}, each};
}

std::vector<Ways> Equations::cpu_causes(int i) const {
  std::vector<Ways> causes;
  for (int h : hpp(i)) causes.push_back(cpu(h));
  for (const Piece& piece : arbiter(i)) causes.push_back({{piece}});
  return causes;
}

std::vector<Piece> Equations::arbiter(int i) const {
  std::vector<Piece> pieces;
  if (at(i).core != set.arbiter) return pieces;
  const Ns st = drops(Forget::kArbiterStart) ? 0 : set.st;
  for (const Task& x : set.tasks) {
    if (x.eta() > 0) pieces.push_back({x.eta() * (st + set.off + set.on), x.T, x.D});
  }
  return pieces;
}

Ns Equations::own(int i, int nc, int ng) const {
  Ns sum = 0;
  for (int k = 0; k < nc; ++k) sum += p(i, k);
  for (int k = 0; k < ng; ++k) sum += g(i, k);
  return sum;
}

Ns Equations::suspend(int i, int nc, int ng) const {
  const Ns D = this->D(i), each = pays_best_effort(i) ? set.st : 0;
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
  std::vector<std::pair<Ways, std::vector<Ns>>> gpu;
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

Ns Equations::spin(int i, int nc, int ng) const {
  std::vector<int> Y;
  for (int h : hpp(i)) {
    if (at(h).eta() > 0) Y.push_back(h);
  }
  if (at(i).eta() > 0) Y.push_back(i);
  int zr = -1;
  for (int y : Y) zr = std::max(zr, rk(y));
  struct Source {
    int h;
    Ways ways;
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
  return fix(start, D(i), [&](Ns r) {
    Ns sum = start + (ng > 0 ? Block(i, ng, r) : 0) + (pays_best_effort(i) ? set.st : 0);
    for (const Piece& x : arbiter(i)) sum += x.c * jobs(r, x.J, x.T);
    for (int h : hpp(i)) {
      Ns each = at(h).cpu_work() + at(h).gpu_work();
      if (at(h).eta() > 0) each += at(h).eta() * (set.st + B(h) + tail(h, zr));
      for (int q = 0; q < at(h).eta(); ++q) each += K(h, q, Forget::kLocalCopies);
      sum += jobs(r, J(h), at(h).T) * each;
    }
    for (const Source& one : sources) {
      sum += cheaper(one.ways, [&](const Piece& x) {
        Ns in_windows = 0;
        for (const auto& [y, windows] : one.windows) {
          for (Ns length : windows) {
            if (length == kNone) return jobs(r, x.J, x.T);
            const Ns late = drops(Forget::kWaitersJitter) ? 0 : J(y);
            in_windows += (y == i ? 1 : jobs(r, late, at(y).T)) * jobs(length, x.J, x.T);
          }
        }
        return std::min(jobs(r, x.J, x.T), in_windows);
      });
    }
    return sum;
  });
}

std::optional<std::pair<std::vector<Ns>, Ns>> Equations::values(int i) const {
  const auto prefix = [&](int nc, int ng) { return busy ? spin(i, nc, ng) : suspend(i, nc, ng); };
  std::vector<Ns> completions;
  const Ns late = drops(Forget::kOwnJitter) ? 0 : at(i).J;
  for (int k = 1; k <= at(i).eta(); ++k) {
    completions.push_back(prefix(k, k));
    if (completions.back() == kNone) return std::nullopt;
    completions.back() += late;
  }
  if (!at(i).last_exists) return std::pair(completions, completions.back());
  const Ns response = prefix(at(i).eta() + 1, at(i).eta());
  if (response == kNone) return std::nullopt;
  return std::pair(completions, response + late);
}

int Equations::solve() {
  for (const After& after : set.afters) {
    set.tasks[static_cast<std::size_t>(after.task)].J = after.own;
  }
  for (;;) {
    int found = solve_once();
    for (bool fewer = true; fewer;) {
      fewer = false;
      for (const After& after : set.afters) {
        if (after.task >= found || after.before < found) continue;
        found = after.task;
        fewer = true;
      }
    }
    bool changed = false;
    for (const After& after : set.afters) {
      if (after.task >= found) continue;
      Ns& J = set.tasks[static_cast<std::size_t>(after.task)].J;
      const Ns now = R[static_cast<std::size_t>(after.before)] - after.b + after.own;
      changed = changed || now != J;
      J = now;
    }
    if (!changed) return found;
  }
}

int Equations::solve_once() {
  R.clear();
  F.clear();
  bool in_order = true;
  for (int a = 0; a < n(); ++a) {
    for (int b = a + 1; b < n(); ++b) {
      in_order = in_order && (rk(a) < 0 || rk(b) < 0 || rk(a) < rk(b));
    }
  }
  for (const Task& task : set.tasks) {
    R.push_back(task.J + task.cpu_work() + task.gpu_work());
    F.emplace_back();
    Ns sum = task.J;
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

}  // namespace tactus::gcaps::boost::naive
