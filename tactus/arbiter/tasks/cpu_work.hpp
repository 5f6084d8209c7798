#pragma once

#include <cstdint>
#include <vector>

namespace tactus::arbiter::tasks {

/// CPU work of a fixed amount: a number of steps of a generator, no matter what interrupts it.
void cpu_work(std::uint64_t steps);

/// How many steps a nanosecond has, on the slowest of these CPUs while all of them work: cores that
/// are busy together are slower than one alone. Of each, the best of several tries, so that an
/// interrupted one does not count. @param cpus empty: wherever this thread is
double calibrate_cpu_work(const std::vector<int>& cpus);

}  // namespace tactus::arbiter::tasks
