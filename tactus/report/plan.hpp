#pragma once

#include <span>
#include <string>

#include "tactus/decide/edit.hpp"
#include "tactus/methods/plan_document.hpp"
#include "tactus/methods/plan_file.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::report {

/// The whole plan file. @pre the verdict has a plan.
std::string plan_json(const System& system, const Verdict& verdict);

/// The plan for a person: verdict, tables, and the schedule as a drawing if the plan fixes one.
std::string plan_text(const System& system, const Verdict& verdict, const Style& style);

/// What a check of a plan file found, line by line.
std::string plan_check_text(std::string_view name, const PlanFile& file);

/// The same: {"tactus", "system", "method", "variant", "holds", "failures": [text]}.
std::string plan_check_json(const System& system, const PlanFile& file,
                            std::span<const decide::Change> changes = {});

/// A table that a method made, laid out; and as text, under its title.
Table table_of(const PlanTable& plan_table);
std::string plan_table_text(const PlanTable& plan_table, const Style& style);

}  // namespace tactus::report
