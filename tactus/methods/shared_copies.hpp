#pragma once

#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// Copies on a `shared` element take as long as they take beside those of others, and no method counts
/// that. So if several tasks copy there, the times must come from there; if `measured` does not say so,
/// the verdict gets a warning.
void warn_of_shared_copies(const System& system, Verdict& verdict);

}  // namespace tactus
