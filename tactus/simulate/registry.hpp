#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "tactus/base/result.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/simulate/policy.hpp"

namespace tactus::simulate {

/// The policy that simulates a behaviour (methods/behaviour.hpp).
struct PolicyEntry {
  std::string_view behaviour;
  std::string_view doc;
  /// The policy for a system that the method covers. `verdict` is the method's result for it (its
  /// variant and its plan matter). Or why there is no policy.
  Result<std::unique_ptr<Policy>> (*make)(const System& system, const Verdict& verdict) = nullptr;
  bool sees_completions = false;  ///< heeds `Policy::see_completions`
};

std::span<const PolicyEntry> policies();

/// Adds somebody's own policy, behind the others, or says why it cannot be added. Its texts and its
/// function must outlive the use of the library.
std::optional<Error> add_policy(const PolicyEntry& policy);
/// Was it added? Then its rule must be checked in every run (`Until::audit`).
bool is_own_policy(const PolicyEntry& policy);

/// The policy behind a method: what must run so that its bounds hold.
struct MethodPolicy {
  const Method* method = nullptr;
  const PolicyEntry* entry = nullptr;

  /// The policy for this system; or why there is none, also if it is somebody's own and throws.
  Result<std::unique_ptr<Policy>> make(const System& system, const Verdict& verdict) const;
  /// The scenario, with the parts that the method fixes.
  trace::Scenario admit(trace::Scenario scenario) const;
};

/// The policy behind a method, or why there is none.
Result<MethodPolicy> find_policy(const Method& method);
Result<MethodPolicy> find_policy(std::string_view id);

/// Small random systems in which to search for violations of a method, or why there are none.
Result<const Recipe*> hunting_ground(const Method& method);

}  // namespace tactus::simulate
