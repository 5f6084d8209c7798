#pragma once

// Every call of CUDA's driver that concerns one stream or event, for automatic segments. As
// waiting_calls.hpp:
//   ONE(name, version, kind, parameters, arguments), TWO(name, version, twin, ...)
// The kinds are those of driver_kinds.hpp; their numbers say which argument is the stream.
// Memory sets without "Async" do not wait, either: they are work in the default stream.
// clang-format off
#define TACTUS_STREAM_CALLS(ONE, TWO)                                                             \
  TWO(cuLaunchKernel, , _ptsz, Launch<8>,                                                         \
      (Pointer code, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz,   \
       unsigned shared, Pointer stream, Pointer* values, Pointer* extra),                         \
      (code, x, y, z, tx, ty, tz, shared, stream, values, extra))                                 \
  TWO(cuLaunchKernelEx, , _ptsz, LaunchByList,                                                    \
      (const void* list, Pointer code, Pointer* values, Pointer* extra),                          \
      (list, code, values, extra))                                                                \
  TWO(cuLaunchCooperativeKernel, , _ptsz, Launch<8>,                                              \
      (Pointer code, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz,   \
       unsigned shared, Pointer stream, Pointer* values),                                         \
      (code, x, y, z, tx, ty, tz, shared, stream, values))                                        \
  TWO(cuGraphLaunch, , _ptsz, Launch<1>, (Pointer graph, Pointer stream), (graph, stream))        \
  TWO(cuGraphUpload, , _ptsz, Work<1>, (Pointer graph, Pointer stream), (graph, stream))          \
  TWO(cuLaunchHostFunc, , _ptsz, HostFunction,                                                    \
      (Pointer stream, Pointer function, Pointer data), (stream, function, data))                 \
  TWO(cuStreamAddCallback, , _ptsz, HostFunction,                                                 \
      (Pointer stream, Pointer function, Pointer data, unsigned flags),                           \
      (stream, function, data, flags))                                                            \
  TWO(cuMemcpyDtoDAsync, _v2, _ptsz, Work<3>,                                                     \
      (Address to, Address from, Size n, Pointer stream), (to, from, n, stream))                  \
  TWO(cuMemcpyPeerAsync, , _ptsz, Work<5>,                                                        \
      (Address to, Pointer there, Address from, Pointer here, Size n, Pointer stream),            \
      (to, there, from, here, n, stream))                                                         \
  TWO(cuMemcpyHtoAAsync, _v2, _ptsz, Work<4>,                                                     \
      (Pointer to, Size at, const void* from, Size n, Pointer stream), (to, at, from, n, stream)) \
  TWO(cuMemcpyAtoHAsync, _v2, _ptsz, Work<4>,                                                     \
      (Pointer to, Pointer from, Size at, Size n, Pointer stream), (to, from, at, n, stream))     \
  TWO(cuMemcpy2DAsync, _v2, _ptsz, Work<1>, (const void* copy, Pointer stream), (copy, stream))   \
  TWO(cuMemcpy3DAsync, _v2, _ptsz, Work<1>, (const void* copy, Pointer stream), (copy, stream))   \
  TWO(cuMemcpy3DPeerAsync, , _ptsz, Work<1>, (const void* copy, Pointer stream), (copy, stream))  \
  TWO(cuMemcpyBatchAsync, , _ptsz, CopyBatch,                                      \
      (Pointer to, Pointer from, Pointer sizes, Size count, Pointer a, Pointer b, Size n,         \
       Pointer c, Pointer stream),                                                                \
      (to, from, sizes, count, a, b, n, c, stream))                                               \
  TWO(cuMemcpy3DBatchAsync, , _ptsz, CopyBatch3D,                                    \
      (Size n, Pointer list, Pointer a, Pointer b, Pointer stream), (n, list, a, b, stream))      \
  TWO(cuMemsetD8Async, , _ptsz, Work<3>,                                                          \
      (Address to, unsigned char value, Size n, Pointer stream), (to, value, n, stream))          \
  TWO(cuMemsetD16Async, , _ptsz, Work<3>,                                                         \
      (Address to, unsigned short value, Size n, Pointer stream), (to, value, n, stream))         \
  TWO(cuMemsetD32Async, , _ptsz, Work<3>,                                                         \
      (Address to, unsigned value, Size n, Pointer stream), (to, value, n, stream))               \
  TWO(cuMemsetD2D8Async, , _ptsz, Work<5>,                                                        \
      (Address to, Size pitch, unsigned char value, Size n, Size m, Pointer stream),              \
      (to, pitch, value, n, m, stream))                                                           \
  TWO(cuMemsetD2D16Async, , _ptsz, Work<5>,                                                       \
      (Address to, Size pitch, unsigned short value, Size n, Size m, Pointer stream),             \
      (to, pitch, value, n, m, stream))                                                           \
  TWO(cuMemsetD2D32Async, , _ptsz, Work<5>,                                                       \
      (Address to, Size pitch, unsigned value, Size n, Size m, Pointer stream),                   \
      (to, pitch, value, n, m, stream))                                                           \
  TWO(cuMemsetD8, _v2, _ptds, DefaultStream,                                                      \
      (Address to, unsigned char value, Size n), (to, value, n))                                  \
  TWO(cuMemsetD16, _v2, _ptds, DefaultStream,                                                     \
      (Address to, unsigned short value, Size n), (to, value, n))                                 \
  TWO(cuMemsetD32, _v2, _ptds, DefaultStream,                                                     \
      (Address to, unsigned value, Size n), (to, value, n))                                       \
  TWO(cuMemsetD2D8, _v2, _ptds, DefaultStream,                                                    \
      (Address to, Size pitch, unsigned char value, Size n, Size m), (to, pitch, value, n, m))    \
  TWO(cuMemsetD2D16, _v2, _ptds, DefaultStream,                                                   \
      (Address to, Size pitch, unsigned short value, Size n, Size m), (to, pitch, value, n, m))   \
  TWO(cuMemsetD2D32, _v2, _ptds, DefaultStream,                                                   \
      (Address to, Size pitch, unsigned value, Size n, Size m), (to, pitch, value, n, m))         \
  TWO(cuMemAllocAsync, , _ptsz, Work<2>,                                                          \
      (Address* memory, Size n, Pointer stream), (memory, n, stream))                             \
  TWO(cuMemAllocFromPoolAsync, , _ptsz, Work<3>,                                                  \
      (Address* memory, Size n, Pointer pool, Pointer stream), (memory, n, pool, stream))         \
  TWO(cuMemFreeAsync, , _ptsz, Work<1>, (Address memory, Pointer stream), (memory, stream))       \
  TWO(cuMemPrefetchAsync, , _ptsz, Prefetch,                                      \
      (Address memory, Size n, Size place, Pointer a, Pointer b), (memory, n, place, a, b))       \
  TWO(cuMemPrefetchBatchAsync, , _ptsz, Work<7>,                                                  \
      (Pointer all, Pointer sizes, Size n, Pointer places, Pointer indices, Size m, Size flags,   \
       Pointer stream),                                                                           \
      (all, sizes, n, places, indices, m, flags, stream))                                         \
  TWO(cuMemDiscardBatchAsync, , _ptsz, Work<4>,                                                   \
      (Pointer all, Pointer sizes, Size n, Size flags, Pointer stream),                           \
      (all, sizes, n, flags, stream))                                                             \
  TWO(cuMemDiscardAndPrefetchBatchAsync, , _ptsz, Work<7>,                                        \
      (Pointer all, Pointer sizes, Size n, Pointer places, Pointer indices, Size m, Size flags,   \
       Pointer stream),                                                                           \
      (all, sizes, n, places, indices, m, flags, stream))                                         \
  TWO(cuMemBatchDecompressAsync, , _ptsz, Work<4>,                                                \
      (Pointer list, Size n, unsigned flags, Pointer errors, Pointer stream),                     \
      (list, n, flags, errors, stream))                                                           \
  TWO(cuMemMapArrayAsync, , _ptsz, Work<2>,                                                       \
      (Pointer list, unsigned n, Pointer stream), (list, n, stream))                              \
  TWO(cuStreamAttachMemAsync, , _ptsz, Work<0>,                                                   \
      (Pointer stream, Address memory, Size n, unsigned flags), (stream, memory, n, flags))       \
  TWO(cuStreamWaitEvent, , _ptsz, Work<0>,                                                        \
      (Pointer stream, Pointer event, unsigned flags), (stream, event, flags))                    \
  TWO(cuStreamWaitValue32, _v2, _ptsz, Work<0>,                                                   \
      (Pointer stream, Address at, unsigned value, unsigned flags), (stream, at, value, flags))   \
  TWO(cuStreamWaitValue64, _v2, _ptsz, Work<0>,                                                   \
      (Pointer stream, Address at, Size value, unsigned flags), (stream, at, value, flags))       \
  TWO(cuStreamWriteValue32, _v2, _ptsz, Work<0>,                                                  \
      (Pointer stream, Address at, unsigned value, unsigned flags), (stream, at, value, flags))   \
  TWO(cuStreamWriteValue64, _v2, _ptsz, Work<0>,                                                  \
      (Pointer stream, Address at, Size value, unsigned flags), (stream, at, value, flags))       \
  TWO(cuStreamBatchMemOp, _v2, _ptsz, Work<0>,                                                    \
      (Pointer stream, unsigned n, Pointer list, unsigned flags), (stream, n, list, flags))       \
  TWO(cuSignalExternalSemaphoresAsync, , _ptsz, Work<3>,                                          \
      (const void* all, const void* values, unsigned n, Pointer stream),                          \
      (all, values, n, stream))                                                                   \
  TWO(cuWaitExternalSemaphoresAsync, , _ptsz, Work<3>,                                            \
      (const void* all, const void* values, unsigned n, Pointer stream),                          \
      (all, values, n, stream))                                                                   \
  TWO(cuGraphicsMapResources, , _ptsz, Work<2>,                                                   \
      (unsigned n, Pointer all, Pointer stream), (n, all, stream))                                \
  TWO(cuGraphicsUnmapResources, , _ptsz, Work<2>,                                                 \
      (unsigned n, Pointer all, Pointer stream), (n, all, stream))                                \
  TWO(cuEventRecord, , _ptsz, Record, (Pointer event, Pointer stream), (event, stream))           \
  TWO(cuEventRecordWithFlags, , _ptsz, Record,                                                    \
      (Pointer event, Pointer stream, unsigned flags), (event, stream, flags))                    \
  ONE(cuEventQuery, , AskEvent, (Pointer event), (event))                                         \
  ONE(cuEventDestroy, _v2, EndEvent, (Pointer event), (event))                                    \
  TWO(cuStreamQuery, , _ptsz, AskStream, (Pointer stream), (stream))                              \
  ONE(cuStreamDestroy, _v2, EndStream, (Pointer stream), (stream))                                \
  TWO(cuStreamBeginCapture, _v2, _ptsz, BeginCapture,                                             \
      (Pointer stream, unsigned mode), (stream, mode))                                            \
  TWO(cuStreamBeginCaptureToGraph, , _ptsz, BeginCapture,                                         \
      (Pointer stream, Pointer graph, Pointer a, Pointer b, Size n, unsigned mode),               \
      (stream, graph, a, b, n, mode))                                                             \
  TWO(cuStreamEndCapture, , _ptsz, EndCapture, (Pointer stream, Pointer* graph), (stream, graph)) \
  ONE(cuGraphInstantiate, _v2, MayWait,                                                           \
      (Pointer * made, Pointer graph, Size a, Pointer b, Size c), (made, graph, a, b, c))         \
  ONE(cuGraphInstantiateWithFlags, , MayWait,                                                     \
      (Pointer * made, Pointer graph, Size flags), (made, graph, flags))                          \
  TWO(cuGraphInstantiateWithParams, , _ptsz, MayWait,                                             \
      (Pointer * made, Pointer graph, Pointer how), (made, graph, how))                           \
  ONE(cuGraphExecDestroy, , Unload, (Pointer graph), (graph))                                     \
  ONE(cuCtxSetLimit, , MayWait, (unsigned limit, Size value), (limit, value))                     \
  ONE(cuDevicePrimaryCtxReset, _v2, EndContext, (int device), (device))                           \
  ONE(cuDevicePrimaryCtxRelease, _v2, EndContext, (int device), (device))
// clang-format on
