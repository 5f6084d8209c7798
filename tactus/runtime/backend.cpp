#include "tactus/runtime/backend.hpp"

#include <fmt/core.h>

#include "tactus/model/diagnostic.hpp"
#include "tactus/runtime/api.hpp"
#include "tactus/runtime/emulator.hpp"

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
  if (name == "cuda")
    return Error{"this tactus was built without CUDA; the emulator runs anywhere"};
#endif
  return Error{fmt::format("there is no backend {}; there are emulator and cuda", quote(name))};
}

}  // namespace tactus::runtime
