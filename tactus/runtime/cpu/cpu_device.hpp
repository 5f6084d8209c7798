#pragma once

#include "tactus/runtime/backend.hpp"

namespace tactus::runtime {

/// This computer instead of one with a GPU, in real time: programs with GPU work can be tried and
/// tested where there is none. The GPU has as many SMs as the file says. What is bound to a node on
/// it (`UserGraph::enqueue`, called with a null stream) runs on a thread, one for each partition;
/// functions run on their cores, copies at once. There is no synthetic work, and times mean nothing.
Result<std::unique_ptr<Device>> open_cpu_device(const System& system,
                                                const BackendOptions& options);

}  // namespace tactus::runtime
