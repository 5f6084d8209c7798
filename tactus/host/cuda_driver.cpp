#include "tactus/host/cuda_driver.hpp"

#include <dlfcn.h>

namespace tactus::host {
namespace {

Result<DriverApi> load() {
  DriverApi api{};
  DriverLibrary library;
  library.find(api.init, "cuInit");
  library.find(api.device_count, "cuDeviceGetCount");
  library.find(api.device_get, "cuDeviceGet");
  library.find(api.device_name, "cuDeviceGetName");
  library.find(api.device_attribute, "cuDeviceGetAttribute");
  library.find(api.context_flags, "cuDevicePrimaryCtxSetFlags_v2");
  library.find(api.context_retain, "cuDevicePrimaryCtxRetain");
  library.find(api.context_release, "cuDevicePrimaryCtxRelease_v2");
  library.find(api.context_set, "cuCtxSetCurrent");
  library.find(api.module_load, "cuModuleLoadData");
  library.find(api.module_function, "cuModuleGetFunction");
  library.find(api.memory_allocate, "cuMemAlloc_v2");
  library.find(api.memory_free, "cuMemFree_v2");
  library.find(api.host_allocate, "cuMemHostAlloc");
  library.find(api.host_free, "cuMemFreeHost");
  library.find(api.copy_to_device, "cuMemcpyHtoDAsync_v2");
  library.find(api.copy_to_host, "cuMemcpyDtoHAsync_v2");
  library.find(api.fill_words, "cuMemsetD32Async");
  library.find(api.stream_create, "cuStreamCreateWithPriority");
  library.find(api.stream_wait, "cuStreamSynchronize");
  library.find(api.stream_query, "cuStreamQuery");
  library.find(api.priority_range, "cuCtxGetStreamPriorityRange");
  library.find(api.launch, "cuLaunchKernel");
  library.find(api.error_text, "cuGetErrorString");
  if (const auto problem = library.problem()) return *problem;
  return api;
}

}  // namespace

// Never unloaded: its threads outlive what we could wait for.
DriverLibrary::DriverLibrary() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}

void* DriverLibrary::symbol(const char* name) {
  if (library_ == nullptr) return nullptr;
  void* const found = dlsym(library_, name);
  if (found == nullptr && missing_ == nullptr) missing_ = name;
  return found;
}

std::optional<Error> DriverLibrary::problem() const {
  if (library_ == nullptr) return Error{"no CUDA driver: libcuda.so.1 cannot be loaded"};
  if (missing_ == nullptr) return std::nullopt;
  return Error{std::string("the CUDA driver is too old: libcuda.so.1 has no ") + missing_};
}

Result<const DriverApi*> driver_api() {
  static const Result<DriverApi> api = load();
  if (!api) return api.error();
  return &*api;
}

Error driver_error(const DriverApi& api, const char* what, DriverApi::Code code) {
  const char* text = nullptr;
  if (api.error_text(code, &text) != 0 || text == nullptr) text = "unknown error";
  return {std::string(what) + ": " + text};
}

}  // namespace tactus::host
