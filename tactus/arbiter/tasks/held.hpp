#pragma once

#include "tactus/model/system.hpp"

/// What the tier `hold`, which only opens gates and takes no segment off the GPU again, means for a
/// system.
namespace tactus::arbiter::tasks {

/// Best-effort segments, which the analysis takes off when it must, stay until they are done. That
/// is what taking them off then costs: `preempt_cost` becomes the longest of them, if it is less.
void charge_what_stays(System& system);

}  // namespace tactus::arbiter::tasks
