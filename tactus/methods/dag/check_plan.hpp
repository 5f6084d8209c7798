#pragma once

#include <string>
#include <vector>

#include "tactus/base/json.hpp"
#include "tactus/model/system.hpp"

namespace tactus::dag {

/// `Method::check_plan` of the methods that run in steps: every condition of
/// docs/use/methods/dag.md.
std::vector<std::string> check_step_plan(const System& system, const json::Value& plan);

/// The same for unit blocks in the order of the file's edges.
std::vector<std::string> check_graham_plan(const System& system, const json::Value& plan);

}  // namespace tactus::dag
