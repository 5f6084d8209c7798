#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tests/methods/gcaps/boost/naive_set.hpp"

namespace tactus::gcaps::boost::naive {

constexpr Ns kNone = -1;  ///< no bound

/// Jobs that are released within r, if the releases have a jitter J.
Ns jobs(Ns r, Ns J, Ns T);

/// The least r >= s with r = f(r); kNone if it is above the limit.
Ns fix(Ns s, Ns limit, const std::function<Ns(Ns)>& f);

/// Work that comes once per T, with a jitter.
struct Piece {
  Ns c = 0, T = 1, J = 0;
};
/// Work that may be counted in several ways; the cheapest is taken.
using Ways = std::vector<std::vector<Piece>>;

/// The equations for one order (`rank`, by task; -1 for CPU-only) and one list of `tr`.
struct Equations {
  Set set;
  bool busy;
  Forget forget;
  std::vector<int> rank;
  std::vector<std::vector<int>> tr;
  std::vector<Ns> R;
  std::vector<std::vector<Ns>> F;

  /// How many tasks from the top have a bound: all, or fewer. Out of order it is all or none.
  /// Where tasks start tasks, for jitters that agree with the bounds.
  int solve();

  int n() const { return static_cast<int>(set.tasks.size()); }
  const Task& at(int i) const { return set.tasks[static_cast<std::size_t>(i)]; }
  int rk(int i) const { return rank[static_cast<std::size_t>(i)]; }
  Ns length(int i, int k) const { return set.st + at(i).e[static_cast<std::size_t>(k)]; }

  Ns D(int i) const { return drops(Forget::kOwnJitter) ? at(i).D : at(i).D - at(i).J; }
  Ns J(int h) const { return drops(Forget::kOthersJitter) ? 0 : at(h).J; }

 private:
  int solve_once();
  struct Window {
    Ns S = kNone, w = kNone;
  };

  bool drops(Forget what) const { return forget == what; }
  Ns least() const { return drops(Forget::kEmptyPieces) ? 0 : 1; }
  Ns p(int i, int k) const { return std::max(at(i).P[static_cast<std::size_t>(k)], least()); }
  /// K: what a section waits for copies of lower tasks.
  Ns K(int i, int k, Forget dropped) const;
  Ns g(int i, int k) const { return std::max(length(i, k), least()) + K(i, k, Forget::kOwnCopies); }
  int limit(int i, int k) const {
    return tr[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  }
  Ns done(int i, int k) const {
    return F[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  }
  std::vector<int> hpp(int i) const;
  bool is_hpp(int h, int i) const { return h < i && at(h).core == at(i).core; }

  bool haslow(int i) const;
  Ns Block(int i, int units, Ns r) const;
  Ns B(int i) const { return Block(i, 1, 1); }
  bool has_pr(int h, int z) const;
  Ns pr(int h, int z) const { return has_pr(h, z) && !drops(Forget::kPair) ? set.pair() : 0; }
  Ns tail(int h, int z) const { return has_pr(h, z) && !drops(Forget::kPair) ? set.on : 0; }
  /// Both ways of counting a source.
  Ways source(int h, int z) const;
  Ns I(int h, int z, Ns r) const;
  Window window(int i, int k) const;
  Ns window_for(int i, int k, int h) const;

  Ways cpu(int h) const;
  /// Every way in which somebody has the core of i before i has it.
  std::vector<Ways> cpu_causes(int i) const;
  std::vector<Piece> arbiter(int i) const;
  bool pays_best_effort(int i) const { return at(i).core == set.arbiter && set.best_effort_gpu; }

  Ns own(int i, int nc, int ng) const;
  Ns suspend(int i, int nc, int ng) const;
  Ns spin(int i, int nc, int ng) const;
  /// The new F and R of a task; nothing when there is none within its deadline.
  std::optional<std::pair<std::vector<Ns>, Ns>> values(int i) const;
};

}  // namespace tactus::gcaps::boost::naive
