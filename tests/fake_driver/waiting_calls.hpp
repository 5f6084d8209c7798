#pragma once

#include <cstddef>
#include <cstdint>

/// Calls of CUDA's driver that wait for the GPU, for the driver that is not there and for a program
/// that calls it. Written down a second time, from cuda.h: the library that is tested has its own list.
///   ONE(base, version, count, types), TWO(base, version, twin, count, types)
/// `base` is the name for cuGetProcAddress, base and version what libcuda.so exports; a twin is the
/// same for a default stream per thread. `count` is the number of `types`.
namespace fake_waits {

using Address = unsigned long long;
using Size = std::size_t;

/// Which function was called, and with what: what the functions in the list return.
template <typename... Arguments>
int digest(const char* name, Arguments... arguments) {
  constexpr std::uint64_t kPrime = 1'099'511'628'211;
  std::uint64_t value = 14'695'981'039'346'656'037U;
  for (; *name != '\0'; ++name) value = (value ^ static_cast<unsigned char>(*name)) * kPrime;
  ((value = (value ^ (std::uint64_t)arguments) * kPrime), ...);  // pointers and numbers
  return static_cast<int>(value >> 33 | 1);
}

}  // namespace fake_waits

// clang-format off
#define WAITING_CALLS(ONE, TWO)                                                             \
  ONE(cuEventSynchronize, , 1, (void*))                                                     \
  TWO(cuMemcpyHtoD, _v2, _ptds, 3, (Address, const void*, Size))                            \
  TWO(cuMemcpyDtoH, _v2, _ptds, 3, (void*, Address, Size))                                  \
  TWO(cuMemcpyDtoD, _v2, _ptds, 3, (Address, Address, Size))                                \
  TWO(cuMemcpy, , _ptds, 3, (Address, Address, Size))                                       \
  TWO(cuMemcpyPeer, , _ptds, 5, (Address, void*, Address, void*, Size))                     \
  TWO(cuMemcpyHtoA, _v2, _ptds, 4, (void*, Size, const void*, Size))                        \
  TWO(cuMemcpyAtoH, _v2, _ptds, 4, (void*, void*, Size, Size))                              \
  TWO(cuMemcpyDtoA, _v2, _ptds, 4, (void*, Size, Address, Size))                            \
  TWO(cuMemcpyAtoD, _v2, _ptds, 4, (Address, void*, Size, Size))                            \
  TWO(cuMemcpyAtoA, _v2, _ptds, 5, (void*, Size, void*, Size, Size))                        \
  TWO(cuMemcpy2D, _v2, _ptds, 1, (const void*))                                             \
  TWO(cuMemcpy2DUnaligned, _v2, _ptds, 1, (const void*))                                    \
  TWO(cuMemcpy3D, _v2, _ptds, 1, (const void*))                                             \
  TWO(cuMemcpy3DPeer, , _ptds, 1, (const void*))                                            \
  ONE(cuMemAllocPitch, _v2, 5, (Address*, Size*, Size, Size, unsigned))                     \
  ONE(cuMemAllocManaged, , 3, (Address*, Size, unsigned))                                   \
  ONE(cuMemAllocHost, _v2, 2, (void**, Size))                                               \
  ONE(cuMemHostAlloc, , 3, (void**, Size, unsigned))                                        \
  ONE(cuMemFreeHost, , 1, (void*))                                                          \
  ONE(cuMemHostUnregister, , 1, (void*))                                                    \
  ONE(cuMemUnmap, , 2, (Address, Size))                                                     \
  ONE(cuArrayDestroy, , 1, (void*))                                                         \
  ONE(cuMipmappedArrayDestroy, , 1, (void*))                                                \
  ONE(cuModuleLoad, , 2, (void**, const char*))                                             \
  ONE(cuModuleLoadDataEx, , 5, (void**, const void*, unsigned, void*, void**))              \
  ONE(cuModuleLoadFatBinary, , 2, (void**, const void*))                                    \
  ONE(cuModuleUnload, , 1, (void*))                                                         \
  ONE(cuLibraryLoadData, , 8,                                                               \
      (void**, const void*, void*, void**, unsigned, void*, void**, unsigned))              \
  ONE(cuLibraryLoadFromFile, , 8,                                                           \
      (void**, const char*, void*, void**, unsigned, void*, void**, unsigned))              \
  ONE(cuLibraryUnload, , 1, (void*))                                                        \
  ONE(cuCtxDestroy, _v2, 1, (void*))                                                        \
  TWO(cuMemcpyDtoHAsync, _v2, _ptsz, 4, (void*, Address, Size, void*))                      \
  TWO(cuMemcpyHtoDAsync, _v2, _ptsz, 4, (Address, const void*, Size, void*))                \
  TWO(cuMemcpyAsync, , _ptsz, 4, (Address, Address, Size, void*))
// clang-format on
