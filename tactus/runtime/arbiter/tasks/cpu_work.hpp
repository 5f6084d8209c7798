#pragma once

#include <cstdint>

#include "tactus/model/time.hpp"

namespace tactus::arbiter {

/// CPU work of a fixed amount: so many steps of a generator, whatever interrupts it.
void cpu_work(std::uint64_t steps);

/// How many steps a nanosecond has on this core, with the machine as it is: the best of several
/// tries, so that an interrupted one does not count.
double calibrate_cpu_work();

}  // namespace tactus::arbiter
