#include "tactus/runtime/driver/open_gpu.hpp"

#include <fmt/core.h>

namespace tactus::runtime::driver {

Result<OpenGpu> open_gpu(int ordinal) {
  const auto loaded = load_driver();
  if (!loaded) return loaded.error();
  OpenGpu gpu{*loaded, 0, nullptr};
  const DriverApi& api = *gpu.driver.base;
  int count = 0;
  if (auto problem = gpu.driver.failed(api.init(0), "be used")) return *problem;
  if (auto problem = gpu.driver.failed(api.device_count(&count), "be counted")) return *problem;
  if (ordinal < 0 || ordinal >= count) {
    return Error{fmt::format("there is no GPU {}; this machine has {}", ordinal, count)};
  }
  if (auto problem = gpu.driver.failed(api.device_get(&gpu.device, ordinal), "be used")) {
    return *problem;
  }
  if (auto problem = gpu.driver.failed(api.context_retain(&gpu.context, gpu.device), "be used")) {
    return *problem;
  }
  if (auto problem = gpu.driver.failed(api.context_set(gpu.context), "be used")) return *problem;
  return gpu;
}

}  // namespace tactus::runtime::driver
