#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/methods/method.hpp"

/// Plans that are read from a file: the inverse of `write_plan`.
///
///     const Result<LoadedPlan> loaded = load_plan("robot.plan.json", system);
///     if (!loaded) return complain(to_string(loaded.error()));
///     run(*loaded->verdict.plan);
namespace tactus {

/// A plan and what was promised with it.
struct LoadedPlan {
  const Method* method = nullptr;
  /// Method and variant as the file names them, the family's own plan type in `plan`, and the
  /// bounds that hold when it is followed.
  Verdict verdict;
};

/// A plan file that has the right form and is for exactly this system; it may still be wrong.
struct PlanFile {
  /// Where the file names what the system does not have, that is among the failures, and there is
  /// no plan in the verdict.
  LoadedPlan plan;
  /// What does not hold: conditions of the method's own checker, and fields that contradict the
  /// plan they belong to. Only a plan without any of these may be run.
  std::vector<std::string> failures;
};

/// Reads and checks the text of a plan file; an error says where, if there is a place to point at.
Result<PlanFile> read_plan_file(std::string text, std::string_view name, const System& system);

/// A plan that is fit to be run; refused if anything at all is wrong with it.
Result<LoadedPlan> usable_plan(std::string text, std::string_view name, const System& system);

/// The same from a file.
Result<LoadedPlan> load_plan(const std::string& path, const System& system);

}  // namespace tactus
