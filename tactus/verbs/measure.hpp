#pragma once

#include <string_view>
#include <vector>

#include "tactus/runtime/measure/measure_nodes.hpp"
#include "tactus/verbs/answer.hpp"

namespace tactus::verbs {

/// Numbers of SMs, comma-separated; an empty text is no width, so the whole GPU alone.
Answer<std::vector<std::int64_t>> widths_of(std::string_view list);

/// Names of enemies, comma-separated, or "all", or "none"; what does not exist is told by `measure`.
std::vector<std::string> enemies_of(std::string_view list);

/// Measures the nodes of a system.
Answer<runtime::MeasuredNodes> measure(const System& system, const runtime::Workload& workload,
                                       const runtime::MeasureOptions& options);

}  // namespace tactus::verbs
