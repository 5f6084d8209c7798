#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tactus/model/json.hpp"
#include "tactus/model/system.hpp"

/// A plan as its file states it, for the checker. Shares nothing with the planner: `read_plan` sees
/// only the JSON and the system.
namespace tactus::dag {

struct StatedKernel {
  NodeIndex node = 0;
  std::int64_t segment = 0, m = 0;
  Time load, c;
  std::size_t step = 0;
};

struct StatedStep {
  Time r;
  std::int64_t spare = 0;
  std::vector<std::size_t> kernels;  ///< in `StatedPlan::kernels`
};

struct StatedBarrier {
  std::vector<std::size_t> after, before;
};

struct StatedPlan {
  const Task* task = nullptr;
  const Element* gpu = nullptr;
  Time t_min;
  Time bound;
  std::optional<Time> deadline;
  std::optional<bool> schedulable;
  std::int64_t cuts = 0;
  std::vector<StatedStep> steps;
  std::vector<StatedKernel> kernels;
  std::vector<std::vector<Time>> segments;  ///< loads, by node
  std::optional<std::vector<std::pair<std::size_t, std::size_t>>> edges;
  std::vector<StatedBarrier> barriers;
};

/// The plan, or nothing with `problem` saying what is missing or not understood.
std::optional<StatedPlan> read_plan(const System& system, const json::Value& plan,
                                    std::string& problem);

}  // namespace tactus::dag
