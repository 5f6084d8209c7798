#pragma once

#include "tactus/methods/gang/idle.hpp"
#include "tactus/methods/method.hpp"

namespace tactus::gang {

/// The verdict of gang.wc or gang.swc.
Verdict analyze_gang(const System& system, const Options& options, Scheduler scheduler);

}  // namespace tactus::gang
