#pragma once

#include <span>
#include <string>
#include <vector>

#include "tactus/decide/edit.hpp"
#include "tactus/report/text/terminal.hpp"
#include "tactus/runtime/gpu/calibration.hpp"
#include "tactus/runtime/gpu/gpu_info.hpp"
#include "tactus/runtime/measure/measure_batches.hpp"

/// What GPUs are, and what was measured on them, for people and for programs.
namespace tactus::report {

std::string gpu_info_text(const std::vector<runtime::gpu::GpuInfo>& gpus, const Style& style);
std::string gpu_info_json(const std::vector<runtime::gpu::GpuInfo>& gpus);
/// What was measured of known GPUs, and where.
std::string gpu_profiles_text(const Style& style);
std::string gpu_profiles_json();
std::string calibration_text(const runtime::gpu::Calibration& calibration, const Style& style);
std::string batches_text(const runtime::MeasuredBatches& measured, const Style& style);
std::string batches_json(const runtime::MeasuredBatches& measured,
                         std::span<const decide::Change> changes = {});

}  // namespace tactus::report
