#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// Everything that keeps a method from covering a system, collected while the family looks at the
/// file, so that the user sees all of it at once.
///
///     Obstacles obstacles;
///     if (!task.core) obstacles.lacks(task, {"core"}, "has no core");
///     if (!gpu.time_slice) obstacles.lacks(gpu, {"time_slice"}, "has no time_slice");
///     if (!node.times && !node.load) obstacles.lacks(task, node, {"times", "load"}, "...");
///     if (obstacles.any()) return std::move(obstacles).refusal();
///
/// `problem` completes a sentence that begins with the task, node or element. After an obstacle the
/// view goes on as far as it can without the missing part; its result is then thrown away.
class Obstacles {
 public:
  using Give = std::vector<std::string_view>;
  /// More are only counted: a file may have a million nodes, and no person can read so many lines.
  static constexpr std::size_t kMost = 1'000;

  /// The file can be completed: one of the attributes `give` is enough.
  void lacks(const Element& element, Give give, std::string_view problem);
  void lacks(const Task& task, Give give, std::string_view problem);
  void lacks(const Task& task, const Node& node, Give give, std::string_view problem);

  /// The file must be changed.
  void refuse(const Element& element, std::string_view problem);
  void refuse(const Task& task, std::string_view problem);
  void refuse(const Task& task, const Node& node, std::string_view problem);
  void refuse(std::string reason, Position at = {});
  /// What another part of a view has refused.
  void add(Refusal refusal);

  bool any() const { return !all_.empty(); }
  /// @pre any()
  Refusal refusal() &&;

 private:
  void note(Obstacle obstacle);

  std::vector<Obstacle> all_;
  std::size_t more_ = 0;
};

}  // namespace tactus
