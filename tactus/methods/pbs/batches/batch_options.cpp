#include "tactus/methods/pbs/batches/batch_options.hpp"

#include <algorithm>
#include <set>

#include "tactus/methods/pbs/batches/block_placement.hpp"

namespace tactus::pbs {
namespace {

using Order = std::vector<std::uint32_t>;

Order members(Mask kernels) {
  Order order;
  for_each(kernels, [&](std::size_t i) { order.push_back(static_cast<std::uint32_t>(i)); });
  return order;
}

/// Depth-first over submission orders. Fitting is prefix-closed, so a prefix that does not fit ends
/// its branch; if no order of the rest fits into a given free vector, that is remembered.
class OrderSearch {
 public:
  OrderSearch(const TaskSet& set, Mask kernels, const std::set<Order>& excluded)
      : set_(set), excluded_(excluded), rest_(members(kernels)) {
    // The largest share of an SM first: the order most likely to fit.
    std::stable_sort(rest_.begin(), rest_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return share(a) > share(b); });
  }

  /// A fitting order that is not excluded, or an empty one.
  Order find() {
    if (set_.has_blocks && exceeds_gpu(set_, rest_)) return {};
    Placement gpu(set_);
    extend(gpu, rest_);
    return found_ ? prefix_ : Order();
  }

 private:
  double share(std::uint32_t kernel) const {
    double largest = 0;
    for (std::size_t r = 0; r < set_.sm.size(); ++r) {
      if (set_.sm[r] == 0) continue;
      largest = std::max(largest, static_cast<double>(set_.kernels[kernel].need[r]) /
                                      static_cast<double>(set_.sm[r]));
    }
    return largest;
  }

  /// Whether some order of `rest` fits behind the prefix, excluded or not; stops at the first that
  /// is not excluded.
  bool extend(const Placement& gpu, const Order& rest) {
    if (rest.empty()) {
      found_ = !excluded_.contains(prefix_);
      return true;
    }
    const auto key = std::pair(gpu.free(), std::set<std::uint32_t>(rest.begin(), rest.end()));
    if (set_.has_blocks && dead_.contains(key)) return false;
    bool any = false;
    for (std::size_t i = 0; i < rest.size() && !found_; ++i) {
      Placement next = gpu;
      if (set_.has_blocks && !next.add(rest[i])) continue;
      Order left = rest;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      prefix_.push_back(rest[i]);
      any = extend(next, left) || any;
      if (!found_) prefix_.pop_back();
    }
    if (!any && set_.has_blocks) dead_.insert(key);
    return any;
  }

  const TaskSet& set_;
  const std::set<Order>& excluded_;
  Order rest_, prefix_;
  bool found_ = false;
  std::set<std::pair<std::vector<Resources>, std::set<std::uint32_t>>> dead_;
};

/// A fitting order that is not excluded, by the shortcut if the order is irrelevant.
Order fitting_order(const TaskSet& set, Mask kernels, const std::set<Order>& excluded) {
  const auto capacity = common_capacity(set);
  if (capacity) {
    __int128 blocks = 0;
    for_each(kernels, [&](std::size_t i) { blocks += set.kernels[i].blocks; });
    if (blocks > *capacity) return {};
  }
  if ((capacity || !set.has_blocks) && excluded.empty()) return members(kernels);
  return OrderSearch(set, kernels, excluded).find();
}

}  // namespace

std::vector<BatchOption> options_of(const TaskSet& set, const Oracle& oracle, Mask kernels) {
  const Order ascending = members(kernels);
  if (ascending.size() == 1) return {{set.kernels[ascending.front()].wcet, ascending}};
  std::vector<BatchOption> options;
  std::set<Order> ordered;
  if (const auto entry = oracle.entries().find(ascending); entry != oracle.entries().end()) {
    for (const ListedBatch* batch : entry->second.ordered) {
      ordered.insert(batch->kernels);
      if (batch->completion && fits(set, batch->kernels)) {
        options.push_back({*batch->completion, batch->kernels});
      }
    }
  }
  if (const auto common = oracle.common_completion(ascending)) {
    Order order = fitting_order(set, kernels, ordered);
    if (!order.empty()) options.push_back({*common, std::move(order)});
  }
  const auto by_completion = [](const BatchOption& a, const BatchOption& b) {
    return a.completion < b.completion;
  };
  std::stable_sort(options.begin(), options.end(), by_completion);
  options.erase(std::unique(options.begin(), options.end(),
                            [](const BatchOption& a, const BatchOption& b) {
                              return a.completion == b.completion;
                            }),
                options.end());
  return options;
}

std::uint64_t count_orders(const TaskSet& set, const Oracle& oracle, const Move& move) {
  Order order = members(move.batch);
  const auto entry = oracle.entries().find(order);
  const bool any_order = entry == oracle.entries().end() || entry->second.ordered.empty();
  if (any_order && (!set.has_blocks || common_capacity(set))) {
    std::uint64_t factorial = 1;
    for (std::size_t i = 2; i <= order.size(); ++i) {
      if (__builtin_mul_overflow(factorial, i, &factorial)) return UINT64_MAX;
    }
    return factorial;
  }
  std::uint64_t count = 0;
  do {
    if (oracle.completion(order) == move.completion && fits(set, order)) ++count;
  } while (std::next_permutation(order.begin(), order.end()));
  return count;
}

Frame frame_of(const TaskSet& set, const Oracle& oracle, Ticks start, const Move& move) {
  Frame frame{start, start + move.completion, {}};
  for (const BatchOption& option : options_of(set, oracle, move.batch)) {
    if (option.completion != move.completion) continue;
    for (const std::uint32_t i : option.order) {
      const Kernel& kernel = set.kernels[i];
      frame.batch.push_back({i, (start - kernel.offset) / kernel.period});
    }
  }
  return frame;
}

}  // namespace tactus::pbs
