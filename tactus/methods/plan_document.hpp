#pragma once

#include <span>
#include <string>

#include "tactus/base/result.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/written.hpp"

/// A plan as a document: a head, and then the fields of its family.
namespace tactus {

using AnyStatus = codec::Named<Status, Status::kNotApplicable>;

/// The plan of a verdict, whichever method made it.
struct AnyPlan {
  /// @pre there is one
  static void write(json::Writer& out, const System& system, const Verdict& verdict) {
    write_plan(out, system, verdict.method, verdict.variant, *verdict.plan);
  }
  /// One alternative for each type of plan that a method of the registry makes.
  static void describe(json::Writer& out);
};

/// The fields of a type of plans, `described` from its table.
using PlanKeys = std::vector<Described> (*)();

/// Those of every family (registry.cpp), and of somebody's own methods.
std::span<const PlanKeys> plan_types();
/// Adds one for methods that are added (`add_method`), or says why it cannot be added.
std::optional<Error> add_plan_type(PlanKeys keys);

std::string plan_schema();

}  // namespace tactus
