#pragma once

#include <set>

#include "tactus/runtime/executors/executor.hpp"
#include "tactus/runtime/measure/measure_nodes.hpp"

namespace tactus::runtime {

/// A node, or an enemy, which is a node of the system that is measured as well.
struct Party {
  MeasuredNode::Kind kind = MeasuredNode::Kind::kGraph;
  TaskIndex task = 0;
  NodeIndex node = 0;
  std::string name;
  bool measured = true;    ///< false: only a neighbour of the others
  bool of_copies = false;  ///< an enemy that only copies have

  bool on_gpu() const {
    return kind == MeasuredNode::Kind::kGraph || kind == MeasuredNode::Kind::kKernel;
  }
};

/// What is measured on one width, on a fresh device.
class WidthMeasurement {
 public:
  WidthMeasurement(const System& system, Device& device, const std::vector<Party>& parties,
                   const std::vector<Party>& enemies, const MeasureOptions& options);

  /// What was seen of each party; nothing of those that are not measured on this width.
  /// @param units  0: the whole GPU, and what is not on a GPU
  Result<std::vector<MeasuredWidth>> measure(std::int64_t units);

 private:
  using Neighbours = std::vector<const Party*>;

  std::optional<Error> divide(std::int64_t units);
  std::optional<Error> prepare_neighbours();
  bool measures(const Party& party) const;
  std::vector<Neighbours> neighbours_of(std::size_t party) const;
  std::optional<Error> take_turns(std::size_t party, int runs, MeasuredWidth& width);
  std::optional<Error> run_beside(const Party& party, const Neighbours& neighbours, int runs,
                                  std::vector<Time>& samples);
  std::optional<Error> submit(const Party& party, PartitionId partition, std::int64_t width,
                              OpId op);
  Direction direction_of(const Party& party) const;
  Kernel kernel_of(const Party& party, PartitionId partition, std::int64_t width) const;
  Replay replay_of(const Party& party, PartitionId partition, std::int64_t width) const;
  Time relied_on(const SeenBeside& seen) const;
  void finish(MeasuredWidth& width) const;
  const Node& node_of(const Party& party) const {
    return system_.tasks[party.task].nodes[party.node];
  }

  const System& system_;
  Device& device_;
  const std::vector<Party>&parties_, &enemies_;
  const MeasureOptions& options_;
  Filling filling_;
  bool whole_ = true;
  PartitionId own_ = kWholeGpu;
  std::int64_t got_ = 0;           ///< SMs of `own_`
  std::optional<Partition> rest_;  ///< where neighbours run
};

/// Why the synthetic work, or the emulated graph, of a node cannot be measured; empty where it can.
std::string why_without_work(const System& system, const Node& node);

}  // namespace tactus::runtime
