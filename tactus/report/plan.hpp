#pragma once

#include <string>

#include "tactus/methods/verdict.hpp"
#include "tactus/report/terminal.hpp"

namespace tactus::report {

/// The whole plan file. @pre the verdict has a plan.
std::string plan_json(const System& system, const Verdict& verdict);

/// The plan for a person: verdict, tables, and the schedule drawn where the plan fixes one.
std::string plan_text(const System& system, const Verdict& verdict, const Style& style);

/// A table that a method made, laid out under its title.
std::string plan_table_text(const PlanTable& plan_table, const Style& style);

}  // namespace tactus::report
