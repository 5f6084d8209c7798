// Stands in for this folder where tactus is built without CUDA.
#include "tactus/runtime/cuda/calibrate.hpp"
#include "tactus/runtime/cuda/info.hpp"

namespace tactus::runtime::cuda {
namespace {

Error built_without() { return Error{"this tactus was built without CUDA"}; }

}  // namespace

Result<GpuInfo> gpu_info(int) { return built_without(); }
Result<std::vector<GpuInfo>> gpu_infos() { return built_without(); }
Result<gpu::Calibration> calibrate(const CalibrateOptions&) { return built_without(); }
int serve_calibration(int) { return 3; }

}  // namespace tactus::runtime::cuda
