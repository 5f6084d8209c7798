#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/result.hpp"
#include "tactus/simulate/policy.hpp"

namespace tactus::simulate {

/// What must run so that the bounds of a method hold: the policy behind the method.
struct PolicyEntry {
  std::string_view method;
  std::string_view doc;
  std::string_view recipe;  ///< small random systems to hunt in
  /// The policy for a system that the method covers. `verdict` is what the method said of it (its
  /// variant and its plan matter). Or why there is none to simulate.
  Result<std::unique_ptr<Policy>> (*make)(const System& system, const Verdict& verdict) = nullptr;
  /// The method knows when jobs arrive: at the file's offsets, strictly periodic.
  bool fixes_releases = false;
  /// The bounds hold whether or not the dispatcher preempts: the scenario may choose.
  bool may_preempt = false;

  /// The scenario, with what the method fixes fixed.
  trace::Scenario admit(trace::Scenario scenario) const {
    if (fixes_releases) scenario.releases = trace::Releases::kOffsets;
    scenario.preemptive = scenario.preemptive && may_preempt;
    return scenario;
  }
};

std::span<const PolicyEntry> policies();

/// The entry of a method, or null.
const PolicyEntry* find_policy(std::string_view method);

/// Why a method of the registry has no policy; empty where it has one.
std::string_view why_no_policy(std::string_view method);

/// The recipe to hunt in for violations of a method, or null.
const Recipe* hunting_ground(std::string_view method);

}  // namespace tactus::simulate
