#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// What a program asked of the GPU, and when: written by a library that is loaded into the program
/// (hooks.cpp), read by `tactus measure`. Part of what runs inside other people's programs: no C++
/// library.
namespace tactus::observe {

/// The descriptor of the shared memory, for the library in the program.
inline constexpr const char* kVariable = "TACTUS_OBSERVE";

enum class CallKind : std::uint8_t {
  kLaunch,        ///< a kernel or a graph
  kCopyToDevice,  ///< that does not wait, with all the others
  kCopyToHost,
  kCopyElsewhere,
  kSet,
  kWaitingCopyToDevice,  ///< returns when it is done
  kWaitingCopyToHost,
  kWaitingCopy,
  kWait,          ///< for the GPU
  kSegmentBegin,  ///< a GPU segment of tactus/client.h
  kSegmentEnd,
};

/// A function that is watched.
struct Function {
  const char* name;
  CallKind kind;
};
inline constexpr Function kFunctions[] = {
    {"cuLaunchKernel", CallKind::kLaunch},
    {"cuLaunchKernelEx", CallKind::kLaunch},
    {"cuLaunchCooperativeKernel", CallKind::kLaunch},
    {"cuGraphLaunch", CallKind::kLaunch},
    {"cuMemcpyHtoDAsync", CallKind::kCopyToDevice},
    {"cuMemcpyDtoHAsync", CallKind::kCopyToHost},
    {"cuMemcpyDtoDAsync", CallKind::kCopyElsewhere},
    {"cuMemcpyAsync", CallKind::kCopyElsewhere},
    {"cuMemsetD8Async", CallKind::kSet},
    {"cuMemsetD32Async", CallKind::kSet},
    {"cuMemcpyHtoD", CallKind::kWaitingCopyToDevice},
    {"cuMemcpyDtoH", CallKind::kWaitingCopyToHost},
    {"cuMemcpy", CallKind::kWaitingCopy},
    {"cuStreamSynchronize", CallKind::kWait},
    {"cuCtxSynchronize", CallKind::kWait},
    {"cuEventSynchronize", CallKind::kWait},
    {"cuStreamQuery", CallKind::kWait},  // these two only when they find all done
    {"cuEventQuery", CallKind::kWait},
    {"tactus_segment_begin", CallKind::kSegmentBegin},
    {"tactus_segment_end", CallKind::kSegmentEnd},
};
inline constexpr std::size_t kFunctionCount = sizeof kFunctions / sizeof kFunctions[0];

/// One call.
struct Call {
  std::int64_t begin = 0, end = 0;                ///< CLOCK_MONOTONIC, ns
  std::int64_t cpu_begin = 0, cpu_end = 0;        ///< CPU time of the process, ns
  std::int64_t sleeps_begin = 0, sleeps_end = 0;  ///< how often the process had gone to sleep
  std::uint64_t bytes = 0;                        ///< of a copy
  std::int32_t process = 0, thread = 0;
  std::uint16_t function = 0;  ///< in `kFunctions`
  std::uint16_t written = 0;   ///< 1: all of this is there

  CallKind kind() const { return kFunctions[function].kind; }
};

/// Can this be what the library wrote between two instants? The log is in the memory of a program that
/// may write anywhere.
constexpr bool believable(const Call& call, std::int64_t from, std::int64_t to) {
  constexpr std::int64_t kMostCpus = 4096;
  constexpr std::int64_t kLongest = INT64_MAX / kMostCpus;
  const std::int64_t most_cpu = to < kLongest ? to * kMostCpus : INT64_MAX;
  return call.function < kFunctionCount && from <= call.begin && call.begin <= call.end &&
         call.end <= to && 0 <= call.cpu_begin && call.cpu_begin <= call.cpu_end &&
         call.cpu_end <= most_cpu;
}

/// All zero is an empty log.
struct CallLog {
  static constexpr std::size_t kCapacity = std::size_t{1} << 20;
  std::atomic<std::uint64_t> count;  ///< beyond the capacity: calls that were not kept
  Call calls[kCapacity];
};

}  // namespace tactus::observe
