#pragma once

#include <cstdint>

/// What a program needs to know of the GPU that is not there (fake_gpu.cpp), beside cuda.h.
namespace fake_gpu {

/// So many kernels there are; each has a handle of its own, and is loaded when it is launched first.
inline constexpr std::uintptr_t kKernels = 64, kFirstKernel = 0x5000'0000'0000, kApart = 16;
inline void* kernel(std::uintptr_t number) {
  return reinterpret_cast<void*>(kFirstKernel + number % kKernels * kApart);
}
inline std::uintptr_t number_of(void* kernel) {
  return (reinterpret_cast<std::uintptr_t>(kernel) - kFirstKernel) / kApart;
}
/// What it does to the word that its first parameter points to; the second is a number.
inline std::uint64_t after_kernel(std::uint64_t word, std::uintptr_t number, std::uint64_t with) {
  return (word ^ with) * 6'364'136'223'846'793'005U + (number % kKernels) * 2 + 1;
}
/// One that runs until that word is that number: until another one, launched later, has made it so.
inline void* kernel_that_waits() {
  return reinterpret_cast<void*>(kFirstKernel + kKernels * kApart);
}

}  // namespace fake_gpu
