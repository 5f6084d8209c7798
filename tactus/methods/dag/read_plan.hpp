#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tactus/base/json.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

/// A plan as its file states it. Shares nothing with the planner: the reader sees only the JSON and
/// the system.
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
  std::size_t primary = 0;           ///< the first so many; the others are launched beside them
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

/// The plan as stated. @throws plan_source::Malformed.
StatedPlan read_stated_plan(const System& system, const json::Value& plan);

/// `Method::read_plan` of the family.
Verdict read_plan(const System& system, const json::Value& plan);

}  // namespace tactus::dag
