#include "tactus/runtime/cuda/driver.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>

#include "tactus/runtime/cuda/error.hpp"

namespace tactus::runtime::cuda {
namespace {

/// The version whose signatures the table above states.
constexpr unsigned kVersion = 13000;

template <typename Call>
void look_up(Call& call, const char* symbol) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(symbol, &entry, kVersion, cudaEnableDefault, &found);
  if (status != cudaSuccess) {
    ignore(cudaGetLastError());  // an unknown symbol must not look like an error of the next call
    return;
  }
  if (found == cudaDriverEntryPointSuccess) call = reinterpret_cast<Call>(entry);
}

Driver look_up_all() {
  Driver table;
  look_up(table.get_error_string, "cuGetErrorString");
  look_up(table.graph_add_node, "cuGraphAddNode");
  look_up(table.kernel_set_attribute, "cuKernelSetAttribute");
  look_up(table.write_value, "cuStreamWriteValue32");
  return table;
}

}  // namespace

const Driver& driver() {
  static const Driver table = look_up_all();
  return table;
}

void check(CUresult status, const char* doing) {
  if (status == CUDA_SUCCESS) return;
  const char* reason = nullptr;
  if (driver().get_error_string != nullptr) driver().get_error_string(status, &reason);
  throw CudaError(std::string("the GPU cannot ") + doing + ": " +
                  (reason != nullptr ? reason : "driver error " + std::to_string(status)));
}

std::string why_no_gpu() {
  // Before the first context: enough hardware queues that independent streams stay independent, and
  // no kernel that is loaded only when a deadline is running. What the user has set stays.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  int version = 0, count = 0;
  if (cudaDriverGetVersion(&version) != cudaSuccess || version == 0) {
    return "there is no NVIDIA driver on this machine";
  }
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    ignore(cudaGetLastError());
    return std::string("there is no usable GPU: ") + cudaGetErrorString(status);
  }
  return count > 0 ? "" : "there is no GPU on this machine";
}

}  // namespace tactus::runtime::cuda
