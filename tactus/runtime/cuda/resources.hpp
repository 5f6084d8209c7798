#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <utility>

#include "tactus/runtime/cuda/error.hpp"

/// Owners of CUDA things: made with a check, released without one.
namespace tactus::runtime::cuda {

/// Owns a handle that `Release` gives back.
template <typename Handle, cudaError_t (*Release)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  ~Owned() { reset(); }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle())) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, Handle());
    }
    return *this;
  }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle(); }

 private:
  void reset() {
    if (handle_ != Handle()) ignore(Release(handle_));
    handle_ = Handle();
  }
  Handle handle_ = Handle();
};

using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
using Event = Owned<cudaEvent_t, cudaEventDestroy>;
using Graph = Owned<cudaGraph_t, cudaGraphDestroy>;
using GraphExec = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;

/// A stream that orders nothing but itself; 0 is the lowest priority, -5 the highest of an H200.
inline Stream make_stream(int priority = 0) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), "make a stream");
  return Stream(stream);
}

inline Event make_event(unsigned flags = cudaEventDefault) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags), "make an event");
  return Event(event);
}

/// Zeroed memory of the device.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t count) : count_(count) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T)), "reserve device memory");
    memory_ = Memory(memory);
    check(cudaMemset(memory, 0, count * sizeof(T)), "clear device memory");
  }
  T* data() const { return static_cast<T*>(memory_.get()); }
  std::size_t size() const { return count_; }

 private:
  using Memory = Owned<void*, cudaFree>;
  Memory memory_;
  std::size_t count_ = 0;
};

/// Pinned, zeroed memory of the host that the device can write to and read from.
template <typename T>
class HostArray {
 public:
  HostArray() = default;
  explicit HostArray(std::size_t count) : count_(count) {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped | cudaHostAllocPortable),
          "pin host memory");
    memory_ = Memory(memory);
    for (T& item : items()) item = T();
  }
  std::span<T> items() const { return {static_cast<T*>(memory_.get()), count_}; }
  T* data() const { return static_cast<T*>(memory_.get()); }
  /// The same memory as the device addresses it.
  T* on_device() const {
    void* address = nullptr;
    check(cudaHostGetDevicePointer(&address, memory_.get(), 0), "map host memory");
    return static_cast<T*>(address);
  }

 private:
  using Memory = Owned<void*, cudaFreeHost>;
  Memory memory_;
  std::size_t count_ = 0;
};

/// Launches `kernel` with arguments of exactly the types it declares.
template <typename... Arguments>
void launch_kernel(const void* kernel, unsigned blocks, unsigned threads, std::size_t shared,
                   cudaStream_t stream, Arguments... arguments) {
  void* pointers[] = {static_cast<void*>(&arguments)...};
  check(cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), pointers, shared, stream),
        "launch a kernel");
}

}  // namespace tactus::runtime::cuda
