#include "tactus/arbiter/tiers/driver_api.hpp"

#include <dlfcn.h>

namespace tactus::arbiter::tiers {
namespace {

Result<DriverApi> load() {
  // Never unloaded: its threads outlive what we could wait for.
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{"no CUDA driver: libcuda.so.1 cannot be loaded"};
  DriverApi api{};
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    void* const symbol = dlsym(library, name);
    if (symbol == nullptr && missing == nullptr) missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find(api.init, "cuInit");
  find(api.device_count, "cuDeviceGetCount");
  find(api.device_get, "cuDeviceGet");
  find(api.device_name, "cuDeviceGetName");
  find(api.device_attribute, "cuDeviceGetAttribute");
  find(api.context_flags, "cuDevicePrimaryCtxSetFlags_v2");
  find(api.context_retain, "cuDevicePrimaryCtxRetain");
  find(api.context_release, "cuDevicePrimaryCtxRelease_v2");
  find(api.context_set, "cuCtxSetCurrent");
  find(api.module_load, "cuModuleLoadData");
  find(api.module_function, "cuModuleGetFunction");
  find(api.memory_allocate, "cuMemAlloc_v2");
  find(api.memory_free, "cuMemFree_v2");
  find(api.host_allocate, "cuMemHostAlloc");
  find(api.host_free, "cuMemFreeHost");
  find(api.copy_to_device, "cuMemcpyHtoDAsync_v2");
  find(api.copy_to_host, "cuMemcpyDtoHAsync_v2");
  find(api.fill_words, "cuMemsetD32Async");
  find(api.stream_create, "cuStreamCreateWithPriority");
  find(api.stream_wait, "cuStreamSynchronize");
  find(api.stream_query, "cuStreamQuery");
  find(api.priority_range, "cuCtxGetStreamPriorityRange");
  find(api.launch, "cuLaunchKernel");
  find(api.error_text, "cuGetErrorString");
  if (missing != nullptr)
    return Error{std::string("the CUDA driver is too old: libcuda.so.1 has no ") + missing};
  return api;
}

}  // namespace

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

}  // namespace tactus::arbiter::tiers
