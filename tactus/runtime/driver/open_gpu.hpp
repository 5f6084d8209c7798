#pragma once

#include "tactus/runtime/driver/graph_api.hpp"

namespace tactus::runtime::driver {

/// A GPU whose primary context, the one that CUDA's runtime and its users share, is current on the
/// calling thread. The context stays for the life of the process, as that runtime keeps it, too.
struct OpenGpu {
  Driver driver;
  int device = 0;
  Context context = nullptr;
};

/// An `Error` when there is no such GPU.
Result<OpenGpu> open_gpu(int ordinal);

}  // namespace tactus::runtime::driver
