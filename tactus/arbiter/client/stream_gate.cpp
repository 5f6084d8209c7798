#include "tactus/arbiter/client/stream_gate.hpp"

#include <dlfcn.h>

#include <type_traits>

#include "tactus/arbiter/client/started_kernel.ptx.hpp"
#include "tactus/host/driver_symbols.hpp"

namespace tactus::arbiter::client {
namespace {

// Numbers of cuda.h, a stable binary interface.
constexpr unsigned kPortable = 1, kDeviceMap = 2;  // CU_MEMHOSTREGISTER_*
constexpr unsigned kGreaterOrEqual = 0;            // CU_STREAM_WAIT_VALUE_GEQ: cyclic
constexpr int kAlreadyRegistered = 712;            // CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED

}  // namespace

bool StreamGate::load() {
  if (synchronize_ != nullptr) return true;
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    problem_ = "no CUDA driver: libcuda.so.1 cannot be loaded";
    return false;
  }
  bool all = true;
  const auto find = [&](auto& function, const char* name) {
    // Not those of the preloaded library: gates are no work of the program.
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        host::real_dlsym()(library, name));
    all = all && function != nullptr;
  };
  find(current_context_, "cuCtxGetCurrent");
  find(host_register_, "cuMemHostRegister_v2");
  find(device_pointer_, "cuMemHostGetDevicePointer_v2");
  find(wait_value_, "cuStreamWaitValue32_v2");
  find(write_value_, "cuStreamWriteValue32_v2");
  find(is_capturing_, "cuStreamIsCapturing");
  find(module_load_, "cuModuleLoadData");
  find(module_function_, "cuModuleGetFunction");
  find(launch_, "cuLaunchKernel");
  if (all) find(synchronize_, "cuStreamSynchronize");
  if (!all) problem_ = "the CUDA driver is too old: it has no stream memory operations (CUDA 12)";
  return all;
}

bool StreamGate::succeeded(Code code, const char* doing) {
  if (code == 0) return true;
  problem_ = doing;
  return false;
}

bool StreamGate::know(void* memory, std::size_t size) {
  if (!load()) return false;
  void* context = nullptr;
  if (!succeeded(current_context_(&context), "the CUDA driver refuses cuCtxGetCurrent"))
    return false;
  if (context == nullptr) {
    problem_ = "this thread has no CUDA context: use the GPU once before the first segment";
    return false;
  }
  if (memory == memory_ && context == context_) return true;
  if (memory != registered_) {
    const Code code = host_register_(memory, size, kPortable | kDeviceMap);
    if (code != kAlreadyRegistered &&
        !succeeded(code, "the CUDA driver refuses cuMemHostRegister of the gate's page"))
      return false;
    registered_ = static_cast<const char*>(memory);
  }
  if (!succeeded(device_pointer_(&device_, memory, 0),
                 "the CUDA driver refuses cuMemHostGetDevicePointer of the gate's page"))
    return false;
  if (context != context_) load_kernel();
  memory_ = static_cast<const char*>(memory);
  context_ = context;
  return true;
}

void StreamGate::load_kernel() {
  void* module = nullptr;
  kernel_ = nullptr;
  if (module_load_(&module, kStartedKernelPtx) != 0) return;
  if (module_function_(&kernel_, module, "started") != 0) kernel_ = nullptr;
}

bool StreamGate::write_by_kernel(Stream stream, const void* word, std::uint32_t value) {
  if (kernel_ == nullptr) return false;
  Address address = address_of(word);
  void* parameters[] = {&address, &value};
  return launch_(kernel_, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr) == 0;
}

bool StreamGate::wait(Stream stream, const void* word, std::uint32_t value) {
  int capturing = 0;
  if (is_capturing_(stream, &capturing) != 0 || capturing != 0) {
    problem_ = "this stream is being captured: begin segments around the launch of the graph";
    return false;
  }
  return succeeded(wait_value_(stream, address_of(word), value, kGreaterOrEqual),
                   "the CUDA driver refuses cuStreamWaitValue32 on this stream");
}

bool StreamGate::write(Stream stream, const void* word, std::uint32_t value) {
  return succeeded(write_value_(stream, address_of(word), value, 0),
                   "the CUDA driver refuses cuStreamWriteValue32 on this stream");
}

bool StreamGate::synchronize(Stream stream) {
  return load() && succeeded(synchronize_(stream), "the CUDA driver reports an error of the work");
}

}  // namespace tactus::arbiter::client
