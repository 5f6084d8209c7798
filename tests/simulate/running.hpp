#pragma once

#include <string>
#include <string_view>

#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/hunt.hpp"

/// Runs and hunts in a line each.
namespace tactus::simulate::testing {

/// What happened until `horizon` (in the file's unit) with every length at its upper bound and all
/// jobs at the file's offsets, under the policy behind a method.
trace::Trace played(const System& system, std::string_view method, const Verdict& verdict,
                    std::int64_t horizon);

/// "a.n0 [0,2], a.n1 [2,5]": by start, then by task; waiting busily is "a.spin" and an
/// update of the run list "a.update"; they come last.
std::string shown(const System& system, const trace::Trace& trace);

/// A hunt through the recipe behind the method, some runs a system.
Bag hunted(std::string_view method, std::string_view variant, std::uint64_t systems);

}  // namespace tactus::simulate::testing
