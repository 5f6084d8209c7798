#include "tactus/runtime/backend.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"
#include "tactus/runtime/api.hpp"
#include "tactus/runtime/cpu/cpu_device.hpp"
#include "tactus/runtime/driver/driver_device.hpp"
#include "tactus/runtime/emulator/emulator.hpp"

namespace tactus::runtime {

Result<std::unique_ptr<Device>> open_backend(std::string_view name, const System& system,
                                             const BackendOptions& options) {
  if (options.workload != nullptr) {
    if (auto problem = options.workload->misfit(system)) return *problem;
  }
  if (name == "emulator") return open_emulator(system, options);
#ifdef TACTUS_HAVE_CUDA
  if (name == "cuda") return open_cuda_device(system, options);
#else
  if (name == "cuda") return open_driver_device(system, options);
#endif
  if (name == "driver") return open_driver_device(system, options);
  if (name == "cpu") return open_cpu_device(system, options);
  return Error{
      fmt::format("there is no backend {}; there are emulator, cuda, driver and cpu", quote(name))};
}

}  // namespace tactus::runtime
