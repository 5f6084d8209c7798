#pragma once

#include "tactus/runtime/backend.hpp"

namespace tactus::runtime {

/// A GPU with its cores and copy engines in virtual time, as the system's file describes them.
///
/// Blocks are dispatched in the order of submission, more urgent kernels first, each to the SM of
/// its partition with the most room; a block that fits nowhere stops those behind it, and none is
/// preempted. Cores run the most urgent work, preemptively. An engine does one copy at a time. The
/// scenario chooses how long things take within their interval.
Result<std::unique_ptr<Device>> open_emulator(const System& system, const BackendOptions& options);

}  // namespace tactus::runtime
