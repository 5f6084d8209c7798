#include "tactus/methods/dag/check_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/dag/read_plan.hpp"
#include "tactus/methods/plan_source.hpp"

/// Is a plan what it claims to be? Every condition of docs/use/methods/dag.md, from the plan's own
/// numbers and the system, with no code of the planner. Each complaint begins with the name of the
/// condition. If none fails, the proof there applies and the bound holds.
namespace tactus::dag {
namespace {

constexpr std::size_t kMaxComplaints = 20;

class Checker {
 public:
  Checker(const System& system, const StatedPlan& plan) : system_(system), plan_(plan) {
    by_node_.resize(plan.task->nodes.size());
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
      by_node_[plan.kernels[k].node].push_back(k);
    }
  }

  /// Loads of a node's segments add up to its load, and they run one after another.
  void check_segments() {
    std::size_t count = 0;
    for (NodeIndex node = 0; node < by_node_.size(); ++node) {
      auto& own = by_node_[node];
      std::sort(own.begin(), own.end(), [&](std::size_t a, std::size_t b) {
        return plan_.kernels[a].segment < plan_.kernels[b].segment;
      });
      count += own.size();
      if (own.empty()) {
        complain("segments", "node {} is never launched", name(node));
        continue;
      }
      std::vector<Time> loads;
      __int128 sum = 0;
      for (std::size_t i = 0; i < own.size(); ++i) {
        const StatedKernel& kernel = plan_.kernels[own[i]];
        if (kernel.segment != static_cast<std::int64_t>(i + 1)) {
          complain("segments", "node {} has no segment {}", name(node), i + 1);
        }
        if (kernel.load <= Time() && !is_copy(own[i])) {
          complain("segments", "{} has no load", shown(own[i]));
        }
        if (i > 0 && plan_.kernels[own[i - 1]].step >= kernel.step) {
          complain("segments", "{} does not follow the segment before it", shown(own[i]));
        }
        loads.push_back(kernel.load);
        sum += kernel.load.ns();
      }
      const Node& source = plan_.task->nodes[node];
      const Time whole = is_copy(own.front()) ? *source.wcet : *source.load;
      if (sum != whole.ns()) {
        complain("segments", "the loads of node {} do not add up to {}", name(node), time(whole));
      }
      if (is_copy(own.front()) && own.size() > 1) {
        complain("segments", "copy {} is cut", name(node));
      }
      if (loads != plan_.segments[node]) {
        complain("segments", "`segments` of node {} differs from what the steps launch",
                 name(node));
      }
    }
    if (plan_.cuts + static_cast<std::int64_t>(by_node_.size()) !=
        static_cast<std::int64_t>(count)) {
      complain("segments", "`cuts` is {}, but the steps launch {} segments of {} nodes", plan_.cuts,
               count, by_node_.size());
    }
  }

  /// Sum of m <= M in every step. A kernel that has the step for itself may run in waves, which
  /// Eq. 1 accounts for.
  void check_widths() {
    for (std::size_t j = 0; j < plan_.steps.size(); ++j) {
      const StatedStep& step = plan_.steps[j];
      __int128 width = 0;
      for (std::size_t k : step.kernels) {
        if (is_copy(k)) {
          if (plan_.kernels[k].m != 0) complain("width", "{} is a copy on SMs", shown(k));
          if (step.kernels.size() > 1) complain("width", "{} is not alone", shown(k));
        } else if (plan_.kernels[k].m < 1) {
          complain("width", "{} has no SM", shown(k));
        }
        width += plan_.kernels[k].m;
      }
      const __int128 sms = plan_.gpu->units;
      if (width > sms && step.kernels.size() > 1) {
        complain("width", "step {} needs {} SMs, the gpu has {}", j + 1,
                 static_cast<std::int64_t>(width), plan_.gpu->units);
      }
      const bool waves = width > sms && step.kernels.size() == 1;
      if (step.spare != (waves ? 0 : sms - width)) {
        complain("width", "step {} does not have {} spare SMs", j + 1, step.spare);
      }
    }
  }

  /// No copy comes between kernels, and none before what it waits for.
  void check_copies() {
    bool kernels = false, over = false;
    for (const StatedStep& step : plan_.steps) {
      for (std::size_t k : step.kernels) {
        over = over || (kernels && is_copy(k));
        kernels = kernels || !is_copy(k);
        if (over && !is_copy(k)) complain("order", "a copy comes between kernels");
      }
    }
    for (const auto& [from, to] : plan_.task->graph.edges()) {
      if (by_node_[from].empty() || by_node_[to].empty()) continue;
      const std::size_t last = by_node_[from].back(), first = by_node_[to].front();
      if (is_copy(last) || is_copy(first)) check_forward(last, first);
    }
  }

  /// C of every kernel is what Eq. 1 gives at least, and at most the R of its step.
  void check_times() {
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      const StatedKernel& kernel = plan_.kernels[k];
      if (is_copy(k)) {
        if (kernel.c < kernel.load || kernel.c > plan_.steps[kernel.step].r) {
          complain("time", "{} cannot be sure to end within its step", shown(k));
        }
        continue;
      }
      if (kernel.m < 1) continue;
      const std::int64_t waves = (kernel.m - 1) / plan_.gpu->units + 1;
      const bool long_enough = static_cast<__int128>(kernel.c.ns()) * kernel.m >=
                               static_cast<__int128>(kernel.load.ns()) * waves;
      if (kernel.c < plan_.t_min || !long_enough) {
        complain("time", "{} cannot be sure to end within c = {}", shown(k), time(kernel.c));
      }
      if (kernel.c > plan_.steps[kernel.step].r) {
        complain("time", "{} takes c = {}, longer than r = {} of step {}", shown(k), time(kernel.c),
                 time(plan_.steps[kernel.step].r), kernel.step + 1);
      }
    }
  }

  /// The file's edges and the extra ones lead to strictly later steps.
  void check_directions() {
    for (const auto& [from, to] : plan_.task->graph.edges()) {
      if (by_node_[from].empty() || by_node_[to].empty()) continue;
      if (is_copy(by_node_[from].back()) || is_copy(by_node_[to].front())) continue;
      check_forward(by_node_[from].back(), by_node_[to].front());
    }
    if (!plan_.edges) return;
    for (const auto& [from, to] : *plan_.edges) check_forward(from, to);
  }

  /// Nothing of a step can start before all of the step before is complete: by the listed edges, by
  /// the barriers, or by both where both are given.
  void check_barriers() {
    if (plan_.edges) check_barrier_edges();
    if (plan_.edges && plan_.barriers.empty()) return;
    for (std::size_t j = 1; j < plan_.steps.size(); ++j) {
      const auto covers = [&](const StatedBarrier& barrier) {
        return same(barrier.after, plan_.steps[j - 1].kernels) &&
               same(barrier.before, plan_.steps[j].kernels);
      };
      if (j > plan_.barriers.size() || !covers(plan_.barriers[j - 1])) {
        complain("barrier", "`barriers` does not keep step {} behind step {}", j + 1, j);
      }
    }
    if (plan_.barriers.size() >= std::max<std::size_t>(plan_.steps.size(), 1)) {
      complain("barrier", "there are more barriers than gaps between steps");
    }
  }

  /// Makespan <= bound: with all of the above it is at most the sum of R.
  void check_bound() {
    __int128 sum = 0;
    for (const StatedStep& step : plan_.steps) sum += step.r.ns();
    if (sum != plan_.bound.ns()) {
      complain("makespan", "the bound is {}, but the steps do not add up to it", time(plan_.bound));
    }
    check_deadline();
  }

  /// Graham's bound, computed anew: every kernel as m = ceil(load / t_min) blocks of t_min.
  void check_graham() {
    const Graph& graph = plan_.task->graph;
    __int128 blocks = 0, copying = 0;
    std::size_t copies = 0;
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      const StatedKernel& kernel = plan_.kernels[k];
      if (is_copy(k)) {
        if (kernel.m != 0) complain("width", "{} is a copy on SMs", shown(k));
        copying += kernel.load.ns();
        ++copies;
        continue;
      }
      const __int128 t_min = plan_.t_min.ns();
      if (kernel.m * t_min < kernel.load.ns() || (kernel.m - 1) * t_min >= kernel.load.ns()) {
        complain("width", "{} is not cut into blocks of t_min", shown(k));
      }
      const std::int64_t waves = (std::max<std::int64_t>(kernel.m, 1) - 1) / plan_.gpu->units + 1;
      if (kernel.c.ns() != waves * t_min) {
        complain("time", "{} does not take c = {} alone", shown(k), time(kernel.c));
      }
      blocks += kernel.m;
    }
    if (!plan_.edges || !plan_.edges->empty() || !plan_.barriers.empty()) {
      complain("barrier", "Graham's bound is for the edges of the file alone");
    }
    std::vector<std::int64_t> depth(graph.size());
    std::int64_t longest = 0;
    for (NodeIndex node : topological_order(graph)) {
      depth[node] += plan_.task->nodes[node].load ? 1 : 0;  // no copy
      longest = std::max(longest, depth[node]);
      for (NodeIndex next : graph.successors(node)) {
        depth[next] = std::max(depth[next], depth[node]);
      }
    }
    // bound >= t_min * (L + (W - L) / M), without the division.
    const __int128 least = plan_.t_min.ns() * (longest * __int128{plan_.gpu->units - 1} + blocks);
    if ((plan_.bound.ns() - copying) * plan_.gpu->units < least) {
      complain("makespan", "the bound {} is below Graham's", time(plan_.bound));
    }
    const auto spared = std::count_if(plan_.steps.begin(), plan_.steps.end(),
                                      [](const StatedStep& step) { return step.spare != 0; });
    if (plan_.steps.size() != copies + 1 || spared != static_cast<std::ptrdiff_t>(copies)) {
      complain("makespan", "Graham's bound is that of one step without spare SMs");
    }
    check_bound();
  }

  std::vector<std::string> take() {
    if (hidden_ > 0) complaints_.push_back(fmt::format("... and {} more", hidden_));
    return std::move(complaints_);
  }

 private:
  using Places = std::vector<std::size_t>;

  void check_deadline() {
    std::optional<Time> expected = plan_.task->deadline;
    if (plan_.task->period && (!expected || *plan_.task->period < *expected)) {
      expected = plan_.task->period;
    }
    if (plan_.deadline != expected) complain("deadline", "`deadline` is not that of the task");
    if (plan_.schedulable && plan_.deadline &&
        *plan_.schedulable != (plan_.bound <= *plan_.deadline)) {
      complain("deadline", "`schedulable` contradicts bound and deadline");
    }
  }

  void check_forward(std::size_t from, std::size_t to) {
    if (plan_.kernels[from].step < plan_.kernels[to].step) return;
    complain("order", "{} must precede {}, but is not in an earlier step", shown(from), shown(to));
  }

  void check_barrier_edges() {
    const std::set<std::pair<std::size_t, std::size_t>> listed(plan_.edges->begin(),
                                                               plan_.edges->end());
    const auto& graph = plan_.task->graph;
    const auto ordered = [&](std::size_t from, std::size_t to) {
      const StatedKernel &a = plan_.kernels[from], &b = plan_.kernels[to];
      if (a.node == b.node) return true;  // segments: checked to be consecutive
      const auto next = graph.successors(a.node);
      if (by_node_[a.node].back() == from && by_node_[b.node].front() == to &&
          std::binary_search(next.begin(), next.end(), b.node)) {
        return true;
      }
      return listed.contains({from, to});
    };
    for (std::size_t j = 1; j < plan_.steps.size(); ++j) {
      for (std::size_t from : plan_.steps[j - 1].kernels) {
        for (std::size_t to : plan_.steps[j].kernels) {
          if (ordered(from, to)) continue;
          complain("barrier", "nothing keeps {} of step {} behind {} of step {}", shown(to), j + 1,
                   shown(from), j);
        }
      }
    }
  }

  /// Its node runs on a copy element.
  bool is_copy(std::size_t k) const {
    const Node& node = plan_.task->nodes[plan_.kernels[k].node];
    return system_.platform.elements[node.on].kind == ElementKind::kCopy;
  }

  static bool same(Places a, Places b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return a == b;
  }

  std::string name(NodeIndex node) const { return quote(plan_.task->nodes[node].name); }
  std::string shown(std::size_t k) const {
    return fmt::format("{} segment {}", name(plan_.kernels[k].node), plan_.kernels[k].segment);
  }
  std::string time(Time t) const { return format_time(t, system_.time_unit); }

  template <typename... Args>
  void complain(std::string_view condition, fmt::format_string<Args...> format, Args&&... args) {
    if (complaints_.size() >= kMaxComplaints) {
      ++hidden_;
      return;
    }
    complaints_.push_back(
        fmt::format("{}: {}", condition, fmt::format(format, std::forward<Args>(args)...)));
  }

  const System& system_;
  const StatedPlan& plan_;
  std::vector<Places> by_node_;
  std::vector<std::string> complaints_;
  std::size_t hidden_ = 0;
};

template <typename Conditions>
std::vector<std::string> check(const System& system, const json::Value& source,
                               Conditions conditions) {
  try {
    const StatedPlan plan = read_stated_plan(system, source);
    Checker checker(system, plan);
    conditions(checker);
    return checker.take();
  } catch (const plan_source::Malformed& malformed) {
    return {std::string("form: ") + malformed.what()};
  }
}

}  // namespace

std::vector<std::string> check_step_plan(const System& system, const json::Value& source) {
  return check(system, source, [](Checker& checker) {
    checker.check_segments();
    checker.check_copies();
    checker.check_widths();
    checker.check_times();
    checker.check_directions();
    checker.check_barriers();
    checker.check_bound();
  });
}

std::vector<std::string> check_graham_plan(const System& system, const json::Value& source) {
  return check(system, source, [](Checker& checker) {
    checker.check_segments();
    checker.check_copies();
    checker.check_graham();
  });
}

}  // namespace tactus::dag
