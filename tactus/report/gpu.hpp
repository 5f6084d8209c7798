#pragma once

#include <string>
#include <vector>

#include "tactus/report/terminal.hpp"
#include "tactus/runtime/cuda/info.hpp"
#include "tactus/runtime/gpu/calibration.hpp"

/// What GPUs are, and how they were measured, for people and (info) for programs.
namespace tactus::report {

std::string gpu_info_text(const std::vector<runtime::cuda::GpuInfo>& gpus, const Style& style);
std::string gpu_info_json(const std::vector<runtime::cuda::GpuInfo>& gpus);
std::string calibration_text(const runtime::gpu::Calibration& calibration, const Style& style);

}  // namespace tactus::report
