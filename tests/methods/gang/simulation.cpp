#include "tests/methods/gang/simulation.hpp"

#include <algorithm>

namespace tactus::gang::reference {
namespace {

struct Pool {
  std::int64_t free = 0;
  std::vector<std::int64_t> resources;
};

class Simulation {
 public:
  Simulation(const RefDag& dag, const Policy& policy)
      : dag_(dag), policy_(policy), left_(policy.times), missing_(dag.nodes.size()) {
    if (left_.empty()) {
      for (const RefNode& node : dag.nodes) left_.push_back(node.wcet);
    }
    for (std::size_t v = 0; v < dag.nodes.size(); ++v) missing_[v] = dag.nodes[v].previous.size();
    done_.resize(dag.nodes.size());
    running_.resize(dag.nodes.size(), kNowhere);
    for (std::size_t p = 0; p < dag.units.size(); ++p) {
      pools_.emplace_back(static_cast<std::size_t>(dag.pools(p)));
    }
    clear_pools();
  }

  std::vector<Interval> run() {
    while (finished_ < dag_.nodes.size()) {
      schedule();
      advance();  // by nothing where a running node takes no time
      complete();
    }
    return log_;
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  void clear_pools() {
    for (std::size_t p = 0; p < pools_.size(); ++p) {
      for (Pool& pool : pools_[p]) {
        pool.free = dag_.pool(p);
        pool.resources.clear();
        for (const Resource& resource : policy_.resources) pool.resources.push_back(resource.room);
      }
    }
  }
  bool ready(std::size_t v) const { return missing_[v] == 0 && !done_[v]; }

  bool fits(std::size_t v, const Pool& pool) const {
    if (pool.free < dag_.nodes[v].width) return false;
    if (dag_.lanes[dag_.nodes[v].element] == 1) return true;
    for (std::size_t r = 0; r < pool.resources.size(); ++r) {
      if (pool.resources[r] < policy_.resources[r].taken[v]) return false;
    }
    return true;
  }
  void take(std::size_t v, Pool& pool, std::int64_t sign) const {
    pool.free -= sign * dag_.nodes[v].width;
    for (std::size_t r = 0; r < pool.resources.size(); ++r) {
      pool.resources[r] -= sign * policy_.resources[r].taken[v];
    }
  }

  /// Algorithm 1, element by element.
  void schedule() {
    std::vector<std::size_t> before = running_;
    if (policy_.preemptive) {
      clear_pools();
      std::fill(running_.begin(), running_.end(), kNowhere);
    }
    for (std::size_t p = 0; p < pools_.size(); ++p) {
      for (std::size_t v : policy_.order) {
        if (dag_.nodes[v].element != p || !ready(v) || running_[v] != kNowhere) continue;
        std::vector<std::size_t> rooms;
        for (std::size_t i = 0; i < pools_[p].size(); ++i) {
          if (fits(v, pools_[p][i])) rooms.push_back(i);
        }
        if (rooms.empty()) {
          if (policy_.scheduler == Scheduler::kSemiWorkConserving) break;
          continue;
        }
        std::size_t room = *std::max_element(
            rooms.begin(), rooms.end(),
            [&](std::size_t a, std::size_t b) { return pools_[p][a].free < pools_[p][b].free; });
        if (policy_.placement != nullptr) room = rooms[(*policy_.placement)() % rooms.size()];
        take(v, pools_[p][room], 1);
        running_[v] = room;
        if (before[v] == kNowhere) log_.push_back({v, now_, now_});
      }
    }
  }

  void finish(std::size_t v) {
    done_[v] = true;
    ++finished_;
    if (running_[v] != kNowhere) take(v, pools_[dag_.nodes[v].element][running_[v]], -1);
    running_[v] = kNowhere;
    for (Interval& interval : log_) {
      if (interval.node == v) interval.end = now_;
    }
    for (std::size_t w : dag_.nodes[v].next) --missing_[w];
  }
  void complete() {
    for (std::size_t v = 0; v < left_.size(); ++v) {
      if (running_[v] != kNowhere && left_[v] == 0) finish(v);
    }
  }
  void advance() {
    std::int64_t step = INT64_MAX;
    for (std::size_t v = 0; v < left_.size(); ++v) {
      if (running_[v] != kNowhere) step = std::min(step, left_[v]);
    }
    now_ += step;
    for (std::size_t v = 0; v < left_.size(); ++v) {
      if (running_[v] != kNowhere) left_[v] -= step;
    }
  }

  const RefDag& dag_;
  const Policy& policy_;
  std::vector<std::int64_t> left_;
  std::vector<std::size_t> missing_;
  std::vector<bool> done_;
  std::vector<std::size_t> running_;  ///< the pool it runs in
  std::vector<std::vector<Pool>> pools_;
  std::vector<Interval> log_;
  std::int64_t now_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace

std::vector<Interval> simulate(const RefDag& dag, const Policy& policy) {
  return Simulation(dag, policy).run();
}

std::int64_t response(const RefDag& dag, const Policy& policy) {
  std::int64_t last = 0;
  for (const Interval& interval : simulate(dag, policy)) last = std::max(last, interval.end);
  return last;
}

}  // namespace tactus::gang::reference
