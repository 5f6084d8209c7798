#pragma once

// Every call of CUDA's driver that may wait for the GPU and that the preloaded library knows:
//   ONE(name, version, kind, parameters, arguments)
//   TWO(name, version, twin, kind, parameters, arguments)
// The kinds are those of driver_kinds.hpp. `version` is the suffix of the form that programs are linked to; TWO has a twin for programs whose
// default stream is one per thread, with one more suffix.
// `cuCtxSynchronize` has no parameter up to CUDA 12, and a context since CUDA 13. A function without
// parameters does not look at the register in which the context is handed on.
#define TACTUS_WAITING_CALLS(ONE, TWO)                                                             \
  TWO(cuStreamSynchronize, , _ptsz, WaitForStream, (Pointer stream), (stream))                     \
  ONE(cuCtxSynchronize, , Always, (Pointer context), (context))                                    \
  ONE(cuEventSynchronize, , WaitForEvent, (Pointer event), (event))                                \
  ONE(cuMemAlloc, _v2, Always, (Address * memory, Size n), (memory, n))                            \
  ONE(cuMemFree, _v2, Always, (Address memory), (memory))                                          \
  TWO(cuMemcpyHtoD, _v2, _ptds, Copy, (Address to, const void* from, Size n), (to, from, n))       \
  TWO(cuMemcpyDtoH, _v2, _ptds, Copy, (Pointer to, Address from, Size n), (to, from, n))           \
  TWO(cuMemcpyDtoD, _v2, _ptds, Copy, (Address to, Address from, Size n), (to, from, n))           \
  TWO(cuMemcpy, , _ptds, Copy, (Address to, Address from, Size n), (to, from, n))                  \
  TWO(cuMemcpyPeer, , _ptds, Copy,                                                                 \
      (Address to, Pointer there, Address from, Pointer here, Size n), (to, there, from, here, n)) \
  TWO(cuMemcpyHtoA, _v2, _ptds, Copy, (Pointer to, Size at, const void* from, Size n),             \
      (to, at, from, n))                                                                           \
  TWO(cuMemcpyAtoH, _v2, _ptds, Copy, (Pointer to, Pointer from, Size at, Size n),                 \
      (to, from, at, n))                                                                           \
  TWO(cuMemcpyDtoA, _v2, _ptds, Copy, (Pointer to, Size at, Address from, Size n),                 \
      (to, at, from, n))                                                                           \
  TWO(cuMemcpyAtoD, _v2, _ptds, Copy, (Address to, Pointer from, Size at, Size n),                 \
      (to, from, at, n))                                                                           \
  TWO(cuMemcpyAtoA, _v2, _ptds, Copy, (Pointer to, Size there, Pointer from, Size at, Size n),     \
      (to, there, from, at, n))                                                                    \
  TWO(cuMemcpy2D, _v2, _ptds, Copy, (const void* copy), (copy))                                    \
  TWO(cuMemcpy2DUnaligned, _v2, _ptds, Copy, (const void* copy), (copy))                           \
  TWO(cuMemcpy3D, _v2, _ptds, Copy, (const void* copy), (copy))                                    \
  TWO(cuMemcpy3DPeer, , _ptds, Copy, (const void* copy), (copy))                                   \
  ONE(cuMemAllocPitch, _v2, Always,                                                                \
      (Address * memory, Size * pitch, Size width, Size height, unsigned element),                 \
      (memory, pitch, width, height, element))                                                     \
  ONE(cuMemAllocManaged, , Always, (Address * memory, Size n, unsigned flags), (memory, n, flags)) \
  ONE(cuMemAllocHost, _v2, Always, (Pointer * memory, Size n), (memory, n))                        \
  ONE(cuMemHostAlloc, , Always, (Pointer * memory, Size n, unsigned flags), (memory, n, flags))    \
  ONE(cuMemFreeHost, , Always, (Pointer memory), (memory))                                         \
  ONE(cuMemHostRegister, _v2, Always, (Pointer memory, Size n, unsigned flags),                    \
      (memory, n, flags))                                                                          \
  ONE(cuMemHostUnregister, , Always, (Pointer memory), (memory))                                   \
  ONE(cuMemUnmap, , Always, (Address memory, Size n), (memory, n))                                 \
  ONE(cuArrayDestroy, , Always, (Pointer array), (array))                                          \
  ONE(cuMipmappedArrayDestroy, , Always, (Pointer array), (array))                                 \
  ONE(cuModuleLoad, , Always, (Pointer * module, const char* file), (module, file))                \
  ONE(cuModuleLoadData, , Always, (Pointer * module, const void* image), (module, image))          \
  ONE(cuModuleLoadDataEx, , Always,                                                                \
      (Pointer * module, const void* image, unsigned n, Pointer options, Pointer* values),         \
      (module, image, n, options, values))                                                         \
  ONE(cuModuleLoadFatBinary, , Always, (Pointer * module, const void* image), (module, image))     \
  ONE(cuModuleUnload, , UnloadModule, (Pointer module), (module))                                  \
  ONE(cuLibraryLoadData, , Always,                                                                 \
      (Pointer * library, const void* code, Pointer compiled, Pointer* values, unsigned n,         \
       Pointer options, Pointer* others, unsigned m),                                              \
      (library, code, compiled, values, n, options, others, m))                                    \
  ONE(cuLibraryLoadFromFile, , Always,                                                             \
      (Pointer * library, const char* file, Pointer compiled, Pointer* values, unsigned n,         \
       Pointer options, Pointer* others, unsigned m),                                              \
      (library, file, compiled, values, n, options, others, m))                                    \
  ONE(cuLibraryUnload, , UnloadModule, (Pointer library), (library))                               \
  ONE(cuCtxDestroy, _v2, DestroyContext, (Pointer context), (context))                             \
  TWO(cuMemcpyDtoHAsync, _v2, _ptsz, AsyncCopy,                                                    \
      (Pointer to, Address from, Size n, Pointer stream), (to, from, n, stream))                   \
  TWO(cuMemcpyHtoDAsync, _v2, _ptsz, AsyncCopy,                                                    \
      (Address to, const void* from, Size n, Pointer stream), (to, from, n, stream))               \
  TWO(cuMemcpyAsync, , _ptsz, AsyncCopy, (Address to, Address from, Size n, Pointer stream),       \
      (to, from, n, stream))
