#include <algorithm>
#include <map>

#include "tests/methods/gcaps/naive.hpp"

/// MPCP and FMLP+ by the equations of "Finer windows" in docs/use/methods/gcaps.md.
namespace tactus::gcaps::naive {
namespace {

/// At most so many of the jobs of a component matter; none: all do.
using Cap = std::optional<std::int64_t>;
/// A sum of "d @ (T, J)".
using Way = std::vector<Demand>;
/// What one task does: the less of these.
using Ways = std::vector<Way>;

struct Analysis {
  const Set& set;
  bool busy, fifo;
  std::map<std::string, std::vector<Ns>> F, Q;  ///< of the tasks above

  bool forgets(Row row) const { return set.without == row; }

  Ns m(const Task& x, std::size_t k) const { return busy ? x.segments[k].G() : x.segments[k].m; }
  static Ns g(const Task& x, std::size_t k) { return x.segments[k].G(); }

  Ways cpu(const Task& h, Ns Rh) const {
    Ns all = 0;
    Way phases;
    for (std::size_t k = 0; k < h.P.size(); ++k) {
      const Ns piece = h.P[k] + (k > 0 ? m(h, k - 1) : 0);
      const Ns J = forgets(Row::kCarriedPhases) ? 0 : Q.at(h.name)[k] - piece;
      phases.push_back({piece, *h.T, J});
      all += piece;
    }
    return {{{all, *h.T, forgets(Row::kCarriedPhases) ? 0 : Rh - all}}, phases};
  }

  Ways gpu(const Task& h) const {
    Way sections;
    for (std::size_t k = 0; k < h.segments.size(); ++k) {
      const Ns J = forgets(Row::kCarriedSections) ? 0 : F.at(h.name)[k] - g(h, k);
      sections.push_back({g(h, k), *h.T, J});
    }
    const Ns last = forgets(Row::kCarriedSections) ? h.G() : F.at(h.name).back();
    return {{{h.G(), *h.T, last - h.G()}}, sections};
  }

  /// @param windows in which its jobs matter; nothing: no window is known
  static Ns least(const Ways& ways, Ns r, const std::optional<std::vector<Ns>>& windows) {
    std::optional<Ns> least;
    for (const Way& way : ways) {
      Ns sum = 0;
      for (const Demand& one : way) {
        std::int64_t count = jobs(r, one.T, one.J);
        if (windows) {
          std::int64_t fit = 0;
          for (const Ns window : *windows) fit += jobs(window, one.T, one.J);
          count = std::min(count, fit);
        }
        sum += count * one.d;
      }
      least = std::min(least.value_or(sum), sum);
    }
    return *least;
  }

  struct Piece {
    Ns length = 0;
    std::optional<Ns> T;
    Ns reach = 0;
  };
  static Ns longest(std::vector<Piece> pieces, std::int64_t count, Ns r) {
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const Piece& a, const Piece& b) { return a.length > b.length; });
    Ns sum = 0;
    for (const Piece& piece : pieces) {
      const std::int64_t most = piece.T ? jobs(r, *piece.T, piece.reach) : count;
      sum += std::min(count, most) * piece.length;
      count -= std::min(count, most);
    }
    return sum;
  }
  static std::optional<Ns> period(const Task& x) { return x.best_effort ? std::nullopt : x.T; }

  std::optional<Ns> bound(const Task& i, const Responses& responses) {
    std::vector<Ways> above, sources;
    for (const Task* h : set.hpp(i)) above.push_back(cpu(*h, responses.at(h->name)));
    std::vector<std::vector<Piece>> boosts, ahead;
    for (const Task* l : set.llp(i)) {
      if (forgets(Row::kLowerBoosts)) break;
      boosts.emplace_back();
      for (std::size_t k = 0; k < l->segments.size(); ++k) {
        boosts.back().push_back({m(*l, k), period(*l), l->D});
      }
    }
    std::vector<Piece> lower;
    for (const Task* x : set.gpu()) {
      if (x == &i || i.eta() == 0) continue;
      const bool higher = !x->best_effort && x->pi > i.pi;
      if (higher && !fifo) {
        sources.push_back(gpu(*x));
        continue;
      }
      std::vector<Piece> own;
      for (std::size_t k = 0; k < x->segments.size(); ++k) {
        const Ns reach = higher ? F.at(x->name)[k] : x->D;
        if (higher || !forgets(Row::kLowerSections)) {
          own.push_back({g(*x, k), period(*x), reach});
        }
      }
      if (fifo) {
        ahead.push_back(own);
      } else {
        lower.insert(lower.end(), own.begin(), own.end());
      }
    }
    if (!fifo) ahead.push_back(lower);

    // S: closed at both ends.
    Ns B = 0;
    for (const Piece& piece : lower) B = std::max(B, piece.length);
    std::optional<Ns> S = fixed_point(B, limit(set, i), [&](Ns w) {
      Ns sum = B;
      for (const Ways& h : sources) sum += least(h, w + 1, {});
      return sum;
    });
    if (S) S = forgets(Row::kWaitWindows) ? 1 : *S + 1;

    // By phase: v.
    const std::size_t eta = i.segments.size();
    std::optional<std::vector<Ns>> v(std::in_place), waits(std::in_place);
    Ns own = 0, r = 0;
    std::vector<Ns>&done = F[i.name], &over = Q[i.name];
    done.assign(eta, i.D);
    over.assign(eta + 1, i.D);
    const auto after = [&](std::size_t phases, std::size_t sections) {
      const auto found = fixed_point(std::max(own, r), limit(set, i), [&](Ns now) {
        Ns sum = own;
        for (const Ways& h : above) sum += least(h, now, v);
        for (const auto& pieces : boosts) {
          sum += longest(pieces, static_cast<std::int64_t>(phases), now);
        }
        for (const auto& pieces : ahead) {
          sum += longest(pieces, static_cast<std::int64_t>(sections), now);
        }
        for (const Ways& h : sources) sum += sections > 0 ? least(h, now, waits) : 0;
        return sum;
      });
      if (found) r = *found;
      return found.has_value();
    };
    for (std::size_t k = 0; k < eta; ++k) {
      phase_of(i, k, above, boosts, v);
      own += std::max<Ns>(i.P[k], 1);
      if (!after(k + 1, k)) return std::nullopt;
      over[k] = r + i.J;
      own += std::max<Ns>(g(i, k), 1);
      if (!S) waits.reset();
      if (waits) waits->push_back(*S);
      if (!after(k + 1, k + 1)) return std::nullopt;
      done[k] = r + i.J;
    }
    if (i.last_phase) {
      phase_of(i, eta, above, boosts, v);
      own += std::max<Ns>(i.P[eta], 1);
      if (!after(eta + 1, eta)) return std::nullopt;
    }
    over[eta] = r + i.J;
    return r;
  }

  /// v.
  void phase_of(const Task& i, std::size_t k, const std::vector<Ways>& above,
                const std::vector<std::vector<Piece>>& boosts,
                std::optional<std::vector<Ns>>& v) const {
    // Whoever comes when it is about to ask keeps it from that.
    const Ns asks = k < i.segments.size() && !forgets(Row::kEndOfPhase) ? 1 : 0;
    Ns start = std::max<Ns>(i.P[k], 1);
    for (const auto& pieces : boosts) start += longest(pieces, 1, 1);
    std::optional<Ns> window = fixed_point(start, limit(set, i), [&](Ns now) {
      Ns sum = start;
      for (const Ways& h : above) sum += least(h, now + asks, {});
      return sum;
    });
    if (window) *window += asks;
    if (window && forgets(Row::kPhaseWindows)) window = 1;
    if (window && forgets(Row::kHalfPhaseWindows)) window = (*window + 1) / 2;
    if (!window) v.reset();
    if (v) v->push_back(*window);
  }
};

}  // namespace

Bounds by_windows(const Set& source, bool busy, bool fifo) {
  return settled(source, false, [&](const Set& set) {
    Analysis analysis{set, busy, fifo, {}, {}};
    return in_priority_order(set, [&](const Task& i, const Responses& responses) {
      const auto whole = fifo ? fmlp_bound(set, busy, true, i, responses)
                              : mpcp_bound(set, busy, true, i, responses);
      std::optional<Ns> bound = analysis.bound(i, responses);
      if (whole) {
        bound = std::min(bound.value_or(*whole), *whole);
        for (auto* ends : {&analysis.F[i.name], &analysis.Q[i.name]}) {
          for (Ns& end : *ends) end = std::min(end, *whole + i.J);
        }
      }
      return bound;
    });
  });
}

}  // namespace tactus::gcaps::naive
