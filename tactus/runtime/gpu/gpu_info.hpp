#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus::runtime::gpu {

/// What a GPU is, and what the runtime uses. Plain data: a build without CUDA has it, too.
struct GpuInfo {
  int device = 0;
  std::string name, uuid;
  int capability_major = 0, capability_minor = 0;
  std::string driver;    ///< of the kernel module, "580.159.04"; empty where unknown
  int driver_cuda = 0;   ///< the CUDA version the driver supports, 13000
  int runtime_cuda = 0;  ///< the one this program was built with
  std::int64_t sms = 0;
  std::int64_t memory_bytes = 0, l2_bytes = 0;
  std::int64_t threads_per_sm = 0, blocks_per_sm = 0, registers_per_sm = 0, shared_per_sm = 0;
  std::int64_t partition_step = 0;  ///< of green contexts, in SMs; 0: there are none
  std::int64_t partition_least = 0;
  std::int64_t clustered_step = 0;  ///< the same where thread-block clusters must fit
  int priorities = 1;               ///< of streams
  std::int64_t copy_engines = 0;
  std::int64_t sm_clock_khz = 0, memory_clock_khz = 0;  ///< the highest
  bool compute_preemption = false, mps = false;

  std::vector<std::string> features;  ///< in force, one line each
};

}  // namespace tactus::runtime::gpu
