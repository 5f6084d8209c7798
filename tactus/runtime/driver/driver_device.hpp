#pragma once

#include "tactus/runtime/backend.hpp"

namespace tactus::runtime {

/// A GPU through its driver alone, for programs that bind all GPU work themselves: graphs in
/// partitions, copies, and functions on the CPU. It has no synthetic kernels, which need the CUDA
/// toolkit when tactus is built.
Result<std::unique_ptr<Device>> open_driver_device(const System& system,
                                                   const BackendOptions& options);

}  // namespace tactus::runtime
