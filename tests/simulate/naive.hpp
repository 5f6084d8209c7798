#pragma once

#include <cstdint>
#include <vector>

#include "tactus/methods/dag/dag_plan.hpp"
#include "tactus/methods/gang/gang_plan.hpp"
#include "tactus/methods/pbs/table.hpp"
#include "tactus/trace/scenario.hpp"

/// Second simulators of the dag, gang and pbs policies: nanosecond by nanosecond, everything looked
/// at anew in each of them, no code in common with engine and policies. What a scenario draws is
/// shared, else there would be nothing to compare.
namespace tactus::simulate::naive {

/// Of the jobs that end by the horizon, in order, by task.
using Responses = std::vector<std::vector<std::int64_t>>;

/// The latest kernel of the plan first.
Responses run_dag(const System& system, const dag::DagPlan& plan, const trace::Scenario& scenario,
                  std::int64_t horizon);

/// `units` by task and element; the latest gang of the graph first; widths as in the file.
Responses run_gangs(const System& system, const std::vector<std::vector<std::int64_t>>& units,
                    bool walk_on, const trace::Scenario& scenario, std::int64_t horizon);

Responses run_table(const System& system, const pbs::ScheduleTable& table,
                    const trace::Scenario& scenario, std::int64_t horizon);

}  // namespace tactus::simulate::naive
