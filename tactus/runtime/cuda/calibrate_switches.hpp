#pragma once

#include "tactus/runtime/cuda/calibrate.hpp"

namespace tactus::runtime::cuda {

/// Starts helper processes (this program again) that compete for the GPU, and measures how the
/// driver takes turns: by the completion times of 2 and 3 of them, and by their timestamps.
Result<gpu::SwitchReport> measure_switches(const CalibrateOptions& options);

}  // namespace tactus::runtime::cuda
