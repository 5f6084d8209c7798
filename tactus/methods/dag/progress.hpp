#pragma once

#include <set>
#include <vector>

#include "tactus/methods/dag/groups.hpp"
#include "tactus/methods/dag/schedule.hpp"

namespace tactus::dag {

/// What has run so far, while a schedule is put together group by group; the state that Algorithm 2
/// and its repaired form share: rest[v], done[v], and the ready nodes (Eq. 7).
///
///     progress.begin_step(primary nodes);
///     progress.add(v, load, m);              // primaries
///     progress.begin_launched();
///     while (...) progress.add(progress.first_ready(), load, m);
///     progress.end_step(r, spare);
class Progress {
 public:
  Progress(const KernelGraph& kernels, const Ancestry& ancestry);

  Time rest(NodeIndex node) const { return rest_[node]; }
  bool done(NodeIndex node) const { return rest_[node] == Time(); }

  /// Opens a step and takes its primary nodes out of the ready ones.
  void begin_step(std::span<const NodeIndex> primary);
  void begin_launched();
  /// Launches `load` of a node's rest on `m` SMs and takes the node out of the ready ones until the
  /// step ends.
  const Kernel& add(NodeIndex node, Time load, std::int64_t m);
  /// Closes the step: what it completed releases its successors, what it cut is ready again.
  void end_step(Time r, std::int64_t spare);

  /// para: nodes neither done nor in the open step whose predecessors were done before it.
  bool any_ready() const { return !ready_.empty(); }
  /// The one with the largest Wanc, ties in file order.
  NodeIndex first_ready() const { return ancestry_.by_rank[*ready_.begin()]; }

  Schedule take() { return std::move(schedule_); }

 private:
  const KernelGraph& kernels_;
  const Ancestry& ancestry_;
  std::vector<Time> rest_;
  std::vector<std::uint32_t> segments_;  ///< launched so far, by node
  std::vector<std::uint32_t> missing_;   ///< predecessors not done, by node
  std::set<NodeIndex> ready_;            ///< ranks
  Schedule schedule_;
};

}  // namespace tactus::dag
