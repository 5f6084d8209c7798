#include <fmt/format.h>

#include "tactus/base/diagnostic.hpp"
#include "tactus/runtime/cuda/cuda_device.hpp"

namespace tactus::runtime {

Result<std::unique_ptr<Device>> open_cuda_device(const System& system,
                                                 const BackendOptions& options) {
  const auto kind = cuda::parse_kind(options.kernel);
  if (!kind) {
    std::vector<std::string_view> names;
    for (const cuda::KernelKind known : cuda::kKinds) names.push_back(cuda::to_string(known));
    return Error{"there is no kernel kind " + quote(options.kernel) +
                 suggestion(options.kernel, names)};
  }
  const auto info = cuda::gpu_info(options.device);
  if (!info) return info.error();
  const auto driver = driver::load_driver();
  if (!driver) return driver.error();
  return cuda::guarded<std::unique_ptr<Device>>([&]() -> std::unique_ptr<Device> {
    return std::make_unique<cuda::CudaDevice>(system, options, *info, *kind, *driver);
  });
}

}  // namespace tactus::runtime
