#include "tactus/runtime/cuda/info.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "tactus/runtime/cuda/driver.hpp"
#include "tactus/runtime/cuda/error.hpp"
#include "tactus/runtime/driver/sm_partition.hpp"

namespace tactus::runtime::cuda {
namespace {

std::int64_t attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "say what it is");
  return value;
}

/// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build ..."
std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line, word;
  std::getline(file, line);
  for (std::istringstream words(line); words >> word;) {
    const bool number = word.find_first_not_of("0123456789.") == std::string::npos;
    if (number && word.find('.') != std::string::npos) return word;
  }
  return {};
}

/// The step in which the driver splits SMs, by asking for the smallest groups there are.
void look_at_partitions(GpuInfo& info) {
  const auto calls = driver::load_driver();
  if (!calls) return;
  using driver::Splitting;
  info.clustered_step = look_at_groups(*calls, info.device, Splitting::kForClusters).step;
  info.partition_step = look_at_groups(*calls, info.device, Splitting::kFinest).step;
  if (info.partition_step == 0) info.partition_step = info.clustered_step;
  info.partition_least = info.partition_step;
}

void list_features(GpuInfo& info) {
  const auto say = [&](bool there, std::string yes, std::string no) {
    info.features.push_back(there ? std::move(yes) : std::move(no));
  };
  say(info.partition_step > 0,
      fmt::format("partitions: green contexts in steps of {} SMs ({} where clusters must fit)",
                  info.partition_step, info.clustered_step),
      "partitions: none (this driver has no green contexts); widths by grid size and SM lists");
  say(cuda::driver().graph_add_node != nullptr, "graphs: a partition of its own for every node",
      "graphs: no (this driver is too old)");
  say(cuda::driver().write_value != nullptr,
      "completion: seen in host memory, without a driver call", "completion: by asking the driver");
  say(info.priorities > 1,
      fmt::format("priorities: {} levels, preemption at block boundaries", info.priorities),
      "priorities: none");
  if (info.mps) info.features.emplace_back("MPS is on: other processes share the SMs");
}

GpuInfo look_at(int device) {
  cudaDeviceProp properties = {};
  check(cudaGetDeviceProperties(&properties, device), "say what it is");
  GpuInfo info;
  info.device = device;
  info.name = properties.name;
  for (const char byte : properties.uuid.bytes) {
    info.uuid += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  info.capability_major = properties.major;
  info.capability_minor = properties.minor;
  info.driver = kernel_module_version();
  check(cudaDriverGetVersion(&info.driver_cuda), "name its driver");
  check(cudaRuntimeGetVersion(&info.runtime_cuda), "name its runtime");
  info.sms = properties.multiProcessorCount;
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.l2_bytes = properties.l2CacheSize;
  info.threads_per_sm = properties.maxThreadsPerMultiProcessor;
  info.blocks_per_sm = properties.maxBlocksPerMultiProcessor;
  info.registers_per_sm = properties.regsPerMultiprocessor;
  info.shared_per_sm = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
  info.copy_engines = properties.asyncEngineCount;
  info.sm_clock_khz = attribute(cudaDevAttrClockRate, device);
  info.memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, device);
  info.compute_preemption = attribute(cudaDevAttrComputePreemptionSupported, device) != 0;
  info.mps = attribute(cudaDevAttrMpsEnabled, device) != 0;
  check(cudaSetDevice(device), "be used");
  int lowest = 0, highest = 0;
  check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "name its priorities");
  info.priorities = lowest - highest + 1;
  look_at_partitions(info);
  list_features(info);
  return info;
}

}  // namespace

Result<GpuInfo> gpu_info(int device) {
  if (std::string reason = why_no_gpu(); !reason.empty()) return Error{std::move(reason)};
  return guarded<GpuInfo>([&] {
    int count = 0;
    check(cudaGetDeviceCount(&count), "be counted");
    if (device < 0 || device >= count) {
      throw CudaError(fmt::format("there is no GPU {}; this machine has {}", device, count));
    }
    return look_at(device);
  });
}

Result<std::vector<GpuInfo>> gpu_infos() {
  if (std::string reason = why_no_gpu(); !reason.empty()) return Error{std::move(reason)};
  return guarded<std::vector<GpuInfo>>([&] {
    int count = 0;
    check(cudaGetDeviceCount(&count), "be counted");
    std::vector<GpuInfo> all;
    for (int device = 0; device < count; ++device) all.push_back(look_at(device));
    return all;
  });
}

}  // namespace tactus::runtime::cuda
