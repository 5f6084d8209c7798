#pragma once

#include <map>

#include "tactus/runtime/executors/best_effort.hpp"

namespace tactus::runtime {

/// Best-effort tasks that run again and again beside a measurement, node after node.
class Background {
 public:
  /// @pre `best_effort` is prepared, and the device is started.
  Background(const System& system, Device& device, const BestEffort& best_effort);

  std::optional<Error> start();
  /// Whether the operation was one of these; then the next one of its task has begun.
  Result<bool> took(const Completion& completion);
  bool empty() const { return orders_.empty(); }

 private:
  static constexpr OpId kFirst = OpId{1} << 40;
  std::optional<Error> begin(TaskIndex task);

  Device& device_;
  const BestEffort& best_effort_;
  struct Order {
    std::vector<NodeIndex> nodes;
    std::size_t next = 0;
  };
  std::map<TaskIndex, Order> orders_;
};

}  // namespace tactus::runtime
