#pragma once

#include <cstdint>
#include <optional>

/// Under which conditions something was measured: clocks that were low, a hot GPU, or a host whose
/// CPUs were taken away explain times that nothing else explains.
namespace tactus::runtime::gpu {

/// Clocks and temperature of a GPU, now.
struct GpuState {
  unsigned sm_clock_mhz = 0, memory_clock_mhz = 0, temperature_c = 0;
  bool throttled = false;  ///< by power or temperature
};

/// From the management library (NVML), which is loaded if it is there. Nothing: there is none, or it
/// is not known which of its GPUs is meant.
std::optional<GpuState> gpu_state(int device);

/// CPU time that the hypervisor has taken from this machine since it started, of all CPUs, ns.
std::optional<std::int64_t> stolen_ns();

struct Conditions {
  std::optional<GpuState> before, after;
  std::optional<std::int64_t> stolen_ns;
  std::int64_t took_ns = 0;
};

/// Looks at the machine when it is made, and again in `end`.
class Watch {
 public:
  /// @param device  nothing: there is no GPU
  explicit Watch(std::optional<int> device);
  Conditions end() const;

 private:
  std::optional<int> device_;
  Conditions conditions_;
  std::optional<std::int64_t> stolen_before_;
  std::int64_t began_ = 0;
};

}  // namespace tactus::runtime::gpu
