#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/host/doorbell.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/device.hpp"
#include "tactus/trace/scenario.hpp"

namespace tactus::runtime {

class Workload;  // api.hpp

/// What the backends need to know before. Each uses the parts that concern it.
struct BackendOptions {
  trace::Scenario scenario;            ///< how long things take within their bounds (emulator)
  std::int64_t partition_step = 1;     ///< granularity of partitions (emulator)
  std::optional<std::int64_t> sms;     ///< of the GPU (emulator); else those of the system's GPU
  Time jitter;                         ///< how late waiting for a time may end (emulator)
  std::string kernel = "compute";      ///< kind of the synthetic kernels (cuda)
  int device = 0;                      ///< which GPU (cuda)
  bool realtime = false;               ///< ask for SCHED_FIFO and locked memory (cuda)
  const Workload* workload = nullptr;  ///< what nodes do instead of synthetic work
  /// Where there is one: real time is waited for only until it rings.
  host::Doorbell* doorbell = nullptr;
};

/// A machine to run `system` on: "emulator", "cuda", "driver" (a GPU through its driver alone,
/// which runs only what the workload binds; "cuda" means the same in a build without nvcc) or "cpu"
/// (the same on threads of this computer, without a GPU). An `Error` when there is none.
Result<std::unique_ptr<Device>> open_backend(std::string_view name, const System& system,
                                             const BackendOptions& options);

/// Implemented in tactus/runtime/cuda, which is part of the build where CUDA is.
Result<std::unique_ptr<Device>> open_cuda_device(const System& system,
                                                 const BackendOptions& options);

}  // namespace tactus::runtime
