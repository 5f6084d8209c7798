#pragma once

#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/runtime/gpu/gpu_info.hpp"

namespace tactus::runtime::cuda {

using gpu::GpuInfo;

/// The GPU, or one line that says why there is none.
Result<GpuInfo> gpu_info(int device = 0);

/// All GPUs of the machine.
Result<std::vector<GpuInfo>> gpu_infos();

}  // namespace tactus::runtime::cuda
