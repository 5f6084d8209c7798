#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/rtgpu/task_set.hpp"
#include "tactus/model/json.hpp"

namespace tactus::rtgpu {

/// What a plan file claims about one task.
struct TaskClaims {
  std::int64_t sms = 0;
  std::optional<Time> bound, paper, tight;
  struct SegmentClaim {
    std::string_view node, kind;
    std::optional<Time> bound;
  };
  std::vector<SegmentClaim> segments;
};

/// A plan as it stands in its file; what does not belong there is in `problems`.
struct Claims {
  std::string_view method, variant;
  std::vector<TaskClaims> tasks;  ///< most urgent first
  std::vector<std::string> problems;
};

Claims read_claims(const System& system, const TaskSet& set, const json::Value& plan);

}  // namespace tactus::rtgpu
