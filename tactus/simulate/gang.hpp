#pragma once

#include <memory>

#include "tactus/base/result.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/simulate/policy.hpp"

namespace tactus::simulate {

/// What happens behind a gang that does not fit.
enum class Skipping {
  kWalkOn,  ///< WC: others may start
  kStop,    ///< SWC: nothing of the same task and element starts
};

/// The policy behind gang.wc and gang.swc (Algorithm 1 of the paper), preemptive or not as the
/// scenario says. A task that is alone has the whole platform, or the share of the verdict's plan
/// if its bound holds there, too; several tasks have the shares of the plan, each its own range of
/// units. If a unit has lanes, a gang fits inside one unit. Best-effort tasks do nothing.
Result<std::unique_ptr<Policy>> make_gang(const System& system, const Verdict& verdict,
                                          Skipping skipping);

}  // namespace tactus::simulate
