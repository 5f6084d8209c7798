#include "tactus/runtime/gpu/conditions.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tactus/host/clock.hpp"

namespace tactus::runtime::gpu {
namespace {

constexpr int kSmClock = 1, kMemoryClock = 2;  // NVML_CLOCK_...
// Software power cap, hardware slowdown, software and hardware thermal slowdown, power brake.
constexpr unsigned long long kSlowedDown = 0x04 | 0x08 | 0x20 | 0x40 | 0x80;

/// The few functions of libnvidia-ml that are needed.
class Nvml {
 public:
  using Handle = void*;
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    const auto init = find<int()>("nvmlInit_v2");
    ready_ = init != nullptr && init() == 0;
  }
  ~Nvml() {
    if (ready_) {
      if (const auto shutdown = find<int()>("nvmlShutdown")) shutdown();
    }
    if (library_ != nullptr) dlclose(library_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::optional<Handle> device(int index) const {
    if (!ready_) return std::nullopt;
    const auto count_of = find<int(unsigned*)>("nvmlDeviceGetCount_v2");
    const auto get = find<int(unsigned, Handle*)>("nvmlDeviceGetHandleByIndex_v2");
    unsigned count = 0;
    Handle handle = nullptr;
    if (count_of == nullptr || get == nullptr || count_of(&count) != 0) return std::nullopt;
    // CUDA numbers what this variable leaves, NVML numbers all of them.
    if (count > 1 && std::getenv("CUDA_VISIBLE_DEVICES") != nullptr) return std::nullopt;
    if (get(static_cast<unsigned>(index), &handle) != 0) return std::nullopt;
    return handle;
  }

  std::optional<GpuState> state(Handle device) const {
    const auto clock = find<int(Handle, int, unsigned*)>("nvmlDeviceGetClockInfo");
    const auto heat = find<int(Handle, int, unsigned*)>("nvmlDeviceGetTemperature");
    const auto why =
        find<int(Handle, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
    if (clock == nullptr || heat == nullptr) return std::nullopt;
    GpuState state;
    unsigned long long reasons = 0;
    if (clock(device, kSmClock, &state.sm_clock_mhz) != 0 ||
        clock(device, kMemoryClock, &state.memory_clock_mhz) != 0 ||
        heat(device, 0, &state.temperature_c) != 0) {
      return std::nullopt;
    }
    if (why != nullptr && why(device, &reasons) == 0) {
      state.throttled = (reasons & kSlowedDown) != 0;
    }
    return state;
  }

 private:
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

  void* library_;
  bool ready_ = false;
};

}  // namespace

std::optional<GpuState> gpu_state(int device) {
  const Nvml nvml;
  const auto handle = nvml.device(device);
  return handle ? nvml.state(*handle) : std::nullopt;
}

std::optional<std::int64_t> stolen_ns() {
  std::ifstream file("/proc/stat");
  std::string word;
  std::int64_t user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  if (!(file >> word >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal) ||
      word != "cpu") {
    return std::nullopt;
  }
  const long ticks = sysconf(_SC_CLK_TCK);
  if (ticks <= 0) return std::nullopt;
  return steal * (1'000'000'000 / ticks);
}

Watch::Watch(std::optional<int> device)
    : device_(device), stolen_before_(gpu::stolen_ns()), began_(host::now_ns()) {
  if (device_) conditions_.before = gpu_state(*device_);
}

Conditions Watch::end() const {
  Conditions seen = conditions_;
  if (device_) seen.after = gpu_state(*device_);
  if (const auto stolen = gpu::stolen_ns(); stolen && stolen_before_) {
    seen.stolen_ns = *stolen - *stolen_before_;
  }
  seen.took_ns = host::now_ns() - began_;
  return seen;
}

}  // namespace tactus::runtime::gpu
