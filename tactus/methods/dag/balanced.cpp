#include "tactus/methods/dag/balanced.hpp"

#include "tactus/methods/dag/progress.hpp"
#include "tactus/methods/method.hpp"

/// The repaired method. Safety: the kernels of a step need sum of m <= M SMs and end within r, and
/// barriers keep the steps apart; theory.md has the proof.
namespace tactus::dag {

Time balance(const KernelGraph& kernels, std::span<const Time> loads) {
  const auto count = static_cast<std::int64_t>(loads.size());
  Time total;
  for (Time load : loads) total += load;
  const auto fits = [&](Time t) {
    std::int64_t sms = 0;
    for (Time load : loads) {
      sms += std::max<std::int64_t>(1, ceil_div(load, t));
      if (sms > kernels.sms) return false;
    }
    return true;
  };
  // Below W / M the area alone does not fit. At W / (M - n + 1), rounding every load up to whole
  // SMs costs at most n - 1 of them, so it does.
  Time low = std::max(kernels.t_min, div_up(total, kernels.sms));
  if (fits(low)) return low;
  Time high = std::max(kernels.t_min, div_up(total, kernels.sms - count + 1));
  while (high - low > Time::from_ns(1)) {  // low does not fit, high does
    const Time middle = Time::from_ns(low.ns() + (high.ns() - low.ns()) / 2);
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

namespace {

class Balancer {
 public:
  Balancer(const KernelGraph& kernels, const Ancestry& ancestry)
      : kernels_(kernels), progress_(kernels, ancestry) {}

  void run(std::span<const NodeIndex> group) {
    std::vector<NodeIndex> primary;
    for (NodeIndex node : group) {
      if (!progress_.done(node)) primary.push_back(node);
    }
    if (primary.empty()) return;
    const Time r = together(primary);
    if (primary.size() > 1 && r > one_after_another(primary)) {
      // Serial fallback (step 3): the nodes not yet reached are ready, and may be launched.
      for (NodeIndex node : primary) {
        if (!progress_.done(node)) run_step({&node, 1}, together({&node, 1}));
      }
      return;
    }
    run_step(primary, r);
  }

  Schedule take() { return progress_.take(); }

 private:
  Time together(std::span<const NodeIndex> primary) {
    loads_.clear();
    for (NodeIndex node : primary) loads_.push_back(progress_.rest(node));
    return balance(kernels_, loads_);
  }
  Time one_after_another(std::span<const NodeIndex> primary) const {
    Time sum;
    for (NodeIndex node : primary) {
      const Time rest = progress_.rest(node);
      sum += kernels_.time_on(rest, std::min(kernels_.useful_sms(rest), kernels_.sms));
    }
    return sum;
  }

  void run_step(std::span<const NodeIndex> primary, Time r) {
    std::int64_t spare = kernels_.sms;
    const auto fewest_sms = [&](Time load) { return std::max<std::int64_t>(1, ceil_div(load, r)); };
    progress_.begin_step(primary);
    for (NodeIndex node : primary) {
      const Time rest = progress_.rest(node);
      spare -= progress_.add(node, rest, fewest_sms(rest)).m;
    }
    progress_.begin_launched();
    while (spare > 0 && progress_.any_ready()) {
      const NodeIndex node = progress_.first_ready();
      const Time rest = progress_.rest(node);
      // ceil(rest / r) > spare says rest > r * spare without the product, which may not fit.
      const bool cut = fewest_sms(rest) > spare;
      spare -= cut ? progress_.add(node, spare * r, spare).m
                   : progress_.add(node, rest, fewest_sms(rest)).m;
    }
    progress_.end_step(r, spare);
  }

  const KernelGraph& kernels_;
  Progress progress_;
  std::vector<Time> loads_;
};

}  // namespace

Schedule schedule_balanced(const KernelGraph& kernels, const Ancestry& ancestry, std::int64_t cap,
                           const std::stop_token& stop) {
  const NodeLists groups = make_groups(kernels, ancestry, GroupRule::kSomeLarge, cap);
  Balancer balancer(kernels, ancestry);
  for (std::size_t j = 0; j < groups.size(); ++j) {
    Stopped::check(stop);
    balancer.run(groups[j]);
  }
  return balancer.take();
}

Schedule schedule_balanced_best_cap(const KernelGraph& kernels, const Ancestry& ancestry,
                                    const std::stop_token& stop) {
  Schedule best = schedule_balanced(kernels, ancestry, kernels.sms, stop);
  for (std::int64_t cap : {1, 2, 3, 4, 6, 8, 12, 16}) {
    if (cap >= kernels.sms) break;
    Schedule schedule = schedule_balanced(kernels, ancestry, cap, stop);
    if (schedule.bound < best.bound) best = std::move(schedule);
  }
  return best;
}

}  // namespace tactus::dag
