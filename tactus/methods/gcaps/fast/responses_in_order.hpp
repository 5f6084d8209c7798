#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tactus/methods/gcaps/fast/in_order.hpp"
#include "tactus/methods/gcaps/fast/quick_test.hpp"

namespace tactus::gcaps {

/// The responses of the real-time tasks, most urgent first, with the file's GPU priorities, by the
/// fast form that suits their number; `GcapsTest` is asked where that finds none.
/// @pre !set.gpu_order_differs
class ResponsesInOrder {
 public:
  struct Memory {
    std::vector<std::int64_t> gpu_level;  ///< by task
    std::vector<Time> responses;          ///< by task
    QuickTest::Memory quick;
  };

  ResponsesInOrder(const TaskSet& set, GcapsTest& test, Memory& memory);

  /// @pre `responses` has those of all tasks before i; asked of all tasks in their order
  FixedPoint operator()(std::size_t i, std::span<const Time> responses);

 private:
  FixedPoint slow(std::size_t i, std::span<const Time> responses) {
    return test_.bound_of(i, gpu_level_, responses).response;
  }

  const TaskSet& set_;
  GcapsTest& test_;
  std::span<const std::int64_t> gpu_level_;
  QuickTest quick_;
  std::optional<GcapsInOrder> shared_;
};

}  // namespace tactus::gcaps
