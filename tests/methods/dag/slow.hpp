#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "tests/methods/dag/sample.hpp"

/// The methods once more, written straight from docs/use/methods/dag.md without a thought of speed,
/// over exact rationals or over ticks.
namespace tactus::dag {

/// Exact: the formulas as they stand.
struct Rationals {
  using Number = mpq_class;
  static Number from(std::int64_t ticks) { return Number(static_cast<long>(ticks)); }
  static Number divide(const Number& a, const Number& b) { return a / b; }
  static std::int64_t ceil(const Number& a, const Number& b) {
    const Number ratio = a / b;
    mpz_class whole;
    mpz_cdiv_q(whole.get_mpz_t(), ratio.get_num_mpz_t(), ratio.get_den_mpz_t());
    return whole.get_si();
  }
  static std::int64_t round_half_up(const Number& a, const Number& b) {
    const Number ratio = a / b + Number(1, 2);
    mpz_class whole;
    mpz_fdiv_q(whole.get_mpz_t(), ratio.get_num_mpz_t(), ratio.get_den_mpz_t());
    return whole.get_si();
  }
};

/// Whole ticks, times rounded up.
struct Ticks {
  using Number = __int128;
  static Number from(std::int64_t ticks) { return ticks; }
  static Number divide(Number a, Number b) { return (a + b - 1) / b; }
  static std::int64_t ceil(Number a, Number b) {
    return static_cast<std::int64_t>((a + b - 1) / b);
  }
  static std::int64_t round_half_up(Number a, Number b) {
    return static_cast<std::int64_t>((2 * a + b) / (2 * b));
  }
};

template <typename Arithmetic>
class Slow {
 public:
  using N = typename Arithmetic::Number;
  struct Kernel {
    NodeIndex node;
    N load;
    std::int64_t m;
    N c;
  };
  struct Step {
    N r;
    std::vector<Kernel> primary, launched;
  };
  using Group = std::vector<NodeIndex>;

  explicit Slow(const Sample& sample) : m_(sample.sms), t_min_(Arithmetic::from(sample.t_min)) {
    for (std::int64_t load : sample.loads) c_.push_back(Arithmetic::from(load));
    before_.resize(c_.size());
    for (const auto& [from, to] : sample.edges) before_[to].insert(from);
    for (NodeIndex v = 0; v < c_.size(); ++v) {
      ancestors_.push_back(ancestors(v));
      N sum = c_[v];
      for (NodeIndex u : ancestors_[v]) sum += c_[u];
      wanc_.push_back(sum);
    }
  }

  N time(const N& c, std::int64_t m) const {
    const std::int64_t waves = (m + m_ - 1) / m_;
    return std::max<N>(t_min_,
                       Arithmetic::divide(Arithmetic::from(waves) * c, Arithmetic::from(m)));
  }
  std::int64_t m_max(const N& c) const {
    return std::max<std::int64_t>(1, Arithmetic::ceil(c, t_min_));
  }

  /// Section 3.
  std::vector<Group> blocks() const {
    Group joins;
    for (NodeIndex v = 0; v < c_.size(); ++v) {
      if (before_[v].size() > 1) joins.push_back(v);
    }
    std::stable_sort(joins.begin(), joins.end(),
                     [&](NodeIndex a, NodeIndex b) { return wanc_[a] < wanc_[b]; });
    std::vector<Group> out;
    std::set<NodeIndex> used;
    const auto keep = [&](const std::set<NodeIndex>& candidates) {
      Group block;
      for (NodeIndex v : candidates) {
        if (!used.contains(v)) block.push_back(v);
      }
      used.insert(block.begin(), block.end());
      if (!block.empty()) out.push_back(block);
    };
    for (NodeIndex theta : joins) keep(ancestors_[theta]);
    std::set<NodeIndex> all;
    for (NodeIndex v = 0; v < c_.size(); ++v) all.insert(v);
    keep(all);
    return out;
  }

  std::vector<Group> groups(bool printed, std::int64_t cap) const {
    std::vector<Group> out;
    for (const Group& block : blocks()) {
      std::set<NodeIndex> left(block.begin(), block.end());
      while (!left.empty()) {
        Group heads;
        for (NodeIndex v : left) {
          if (std::none_of(before_[v].begin(), before_[v].end(),
                           [&](NodeIndex u) { return left.contains(u); })) {
            heads.push_back(v);
          }
        }
        by_descending_wanc(heads);
        if (heads.size() > static_cast<std::size_t>(cap))
          heads.resize(static_cast<std::size_t>(cap));
        const auto at_least_m = [&](NodeIndex v) { return m_max(c_[v]) >= m_; };
        const auto above_m = [&](NodeIndex v) { return m_max(c_[v]) > m_; };
        const bool alone = printed ? std::all_of(heads.begin(), heads.end(), above_m)
                                   : std::any_of(heads.begin(), heads.end(), at_least_m);
        if (heads.size() > 1 && alone) {
          NodeIndex largest = heads[0];
          for (NodeIndex v : heads) {
            if (c_[v] > c_[largest] || (c_[v] == c_[largest] && v < largest)) largest = v;
          }
          heads = {largest};
        }
        for (NodeIndex v : heads) left.erase(v);
        out.push_back(heads);
      }
    }
    return out;
  }

  /// Section 5.2.
  std::vector<Step> balanced(std::int64_t cap) {
    start();
    std::vector<Step> out;
    std::vector<Group> todo = groups(false, cap);
    for (std::size_t j = 0; j < todo.size(); ++j) {
      const Group p = not_done(todo[j]);
      if (p.empty()) continue;
      const auto [t, widths] = scale(p);
      N serial = 0;
      for (NodeIndex v : p) serial += time(rest_[v], std::min(m_max(rest_[v]), m_));
      if (p.size() > 1 && t > serial) {
        todo.erase(todo.begin() + static_cast<std::ptrdiff_t>(j));
        for (std::size_t i = p.size(); i-- > 0;) {
          todo.insert(todo.begin() + static_cast<std::ptrdiff_t>(j), Group{p[i]});
        }
        --j;
        continue;
      }
      Step step;
      step.r = t;
      std::int64_t s = m_;
      for (std::size_t i = 0; i < p.size(); ++i) {
        step.primary.push_back({p[i], rest_[p[i]], widths[i], time(rest_[p[i]], widths[i])});
        s -= widths[i];
      }
      for (NodeIndex v : para(p)) {
        if (s == 0) break;
        const N room = t * Arithmetic::from(s);
        if (rest_[v] > room) {
          step.launched.push_back({v, room, s, time(room, s)});
          s = 0;
        } else {
          const std::int64_t m = std::max<std::int64_t>(1, Arithmetic::ceil(rest_[v], t));
          step.launched.push_back({v, rest_[v], m, time(rest_[v], m)});
          s -= m;
        }
      }
      finish(step);
      out.push_back(step);
    }
    return out;
  }

  /// Section 4.
  std::vector<Step> printed() {
    start();
    std::vector<Step> out;
    for (const Group& group : groups(true, m_)) {
      const Group p = not_done(group);
      if (p.empty()) continue;
      N w = 0;
      for (NodeIndex v : p) w += rest_[v];
      Step step;
      step.r = 0;
      std::int64_t s = m_;
      for (NodeIndex v : p) {
        const std::int64_t share = Arithmetic::round_half_up(rest_[v] * Arithmetic::from(m_), w);
        const std::int64_t m = std::max<std::int64_t>(1, std::min(m_max(rest_[v]), share));
        step.primary.push_back({v, rest_[v], m, time(rest_[v], m)});
        step.r = std::max<N>(step.r, step.primary.back().c);
        s -= m;
      }
      N ws = step.r * Arithmetic::from(s);
      for (NodeIndex v : para(p)) {
        if (ws <= 0) break;
        const N x = std::min<N>(rest_[v], ws);
        const std::int64_t m = std::min(m_max(x), s);
        step.launched.push_back({v, x, m, time(x, m)});
        ws -= x;
      }
      finish(step);
      out.push_back(step);
    }
    return out;
  }

  static N bound(const std::vector<Step>& steps) {
    N sum = 0;
    for (const Step& step : steps) sum += step.r;
    return sum;
  }

  /// Section 6.
  N greedy() const {
    N sum = 0;
    for (const N& c : c_) sum += time(c, std::min(m_max(c), m_));
    return sum;
  }
  N greedy_unaware() const {
    N sum = 0;
    for (const N& c : c_) sum += time(c, m_max(c));
    return sum;
  }
  N graham() const {
    N work = 0;
    std::size_t longest = 0;
    for (NodeIndex v = 0; v < c_.size(); ++v) {
      work += t_min_ * Arithmetic::from(m_max(c_[v]));
      longest = std::max(longest, depth(v));
    }
    const N path = t_min_ * Arithmetic::from(static_cast<std::int64_t>(longest));
    return path + Arithmetic::divide(work - path, Arithmetic::from(m_));
  }

 private:
  std::set<NodeIndex> ancestors(NodeIndex v) const {
    std::set<NodeIndex> out = before_[v];
    for (std::size_t grown = 0; grown != out.size();) {
      grown = out.size();
      for (NodeIndex u : std::set<NodeIndex>(out)) out.insert(before_[u].begin(), before_[u].end());
    }
    return out;
  }
  /// Nodes on the longest path that ends in v: levels of ancestors until none is left.
  std::size_t depth(NodeIndex v) const {
    std::size_t levels = 0;
    for (std::set<NodeIndex> level = {v}; !level.empty(); ++levels) {
      std::set<NodeIndex> above;
      for (NodeIndex u : level) above.insert(before_[u].begin(), before_[u].end());
      level = above;
    }
    return levels;
  }
  void by_descending_wanc(Group& nodes) const {
    std::sort(nodes.begin(), nodes.end());
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](NodeIndex a, NodeIndex b) { return wanc_[a] > wanc_[b]; });
  }

  void start() {
    rest_ = c_;
    done_.clear();
  }
  Group not_done(const Group& group) const {
    Group out;
    for (NodeIndex v : group) {
      if (!done_.contains(v)) out.push_back(v);
    }
    return out;
  }
  Group para(const Group& p) const {
    Group out;
    for (NodeIndex v = 0; v < c_.size(); ++v) {
      if (done_.contains(v) || std::find(p.begin(), p.end(), v) != p.end()) continue;
      if (std::all_of(before_[v].begin(), before_[v].end(),
                      [&](NodeIndex u) { return done_.contains(u); })) {
        out.push_back(v);
      }
    }
    by_descending_wanc(out);
    return out;
  }
  /// The words of 5.2, step 2: one SM after another to the longest kernel, then trimmed.
  std::pair<N, std::vector<std::int64_t>> scale(const Group& p) const {
    std::vector<std::int64_t> m(p.size(), 1);
    const auto length = [&](std::size_t i) { return time(rest_[p[i]], m[i]); };
    const auto longest = [&] {
      std::size_t best = 0;
      for (std::size_t i = 1; i < p.size(); ++i) {
        if (length(i) > length(best)) best = i;
      }
      return best;
    };
    for (auto left = m_ - static_cast<std::int64_t>(p.size()); left > 0; --left) {
      const std::size_t i = longest();
      if (length(i) <= t_min_) break;
      ++m[i];
    }
    const N t = length(longest());
    for (std::size_t i = 0; i < p.size(); ++i) {
      m[i] = std::max<std::int64_t>(1, Arithmetic::ceil(rest_[p[i]], t));
    }
    return {t, m};
  }
  void finish(const Step& step) {
    for (const Kernel& kernel : step.primary) done_.insert(kernel.node);
    for (const Kernel& kernel : step.launched) {
      rest_[kernel.node] -= kernel.load;
      if (rest_[kernel.node] == 0) done_.insert(kernel.node);
    }
  }

  std::int64_t m_;
  N t_min_;
  std::vector<N> c_, wanc_, rest_;
  std::vector<std::set<NodeIndex>> before_, ancestors_;
  std::set<NodeIndex> done_;
};

}  // namespace tactus::dag
