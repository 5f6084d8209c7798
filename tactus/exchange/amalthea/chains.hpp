#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tactus/exchange/amalthea/model.hpp"
#include "tactus/model/system.hpp"

namespace tactus::exchange::amalthea {

/// The task of the system that a task of the model is, or is a part of.
using TaskOf = std::function<std::optional<TaskIndex>(const std::string& name)>;

/// Event chains that lead from task to task, with the limits of their latencies.
std::vector<Chain> chains_of(const Model& model, const TaskOf& task_of, Told& told);

}  // namespace tactus::exchange::amalthea
