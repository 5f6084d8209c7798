#pragma once

#include <cstddef>
#include <optional>

#include "tactus/host/cuda_driver.hpp"

/// Partitions and graphs through CUDA's driver library alone: no part of this folder needs the CUDA
/// toolkit to be built, or a GPU to be tested.
namespace tactus::runtime::driver {

using host::DriverApi;

/// Handles of cuda.h, all of them pointers there.
using Code = DriverApi::Code;
using Address = DriverApi::Address;
using Context = DriverApi::Context;
using Stream = DriverApi::Stream;
using GreenContext = void*;
using Graph = void*;
using GraphNode = void*;
using GraphExec = void*;
using Kernel = void*;
using Library = void*;

/// CUgraphNodeType.
enum class NodeType : int {
  kKernel,
  kCopy,
  kMemset,
  kHost,
  kChild,
  kEmpty,
  kWaitEvent,
  kRecordEvent,
  kSignalSemaphore,
  kWaitSemaphore,
  kAllocate,
  kFree,
  kBatchMemory,
  kConditional,
};

/// CUDA_KERNEL_NODE_PARAMS_v2. The context counts only where `function` is null.
struct KernelNode {
  void* function = nullptr;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  Kernel kernel = nullptr;
  Context context = nullptr;
};

/// CUDA_MEMSET_NODE_PARAMS_v1.
struct MemsetNode {
  Address to = 0;
  std::size_t pitch = 0;
  unsigned value = 0, element_bytes = 1;
  std::size_t width = 0, height = 1;
};

/// One side of a CUDA_MEMCPY3D_v2.
struct CopySide {
  std::size_t x_bytes = 0, y = 0, z = 0, lod = 0;
  int memory = 0;  ///< CUmemorytype: 1 host, 2 device, 3 array, 4 unified
  void* host = nullptr;
  Address device = 0;
  void* array = nullptr;
  void* reserved = nullptr;
  std::size_t pitch = 0, height = 0;
};
/// CUDA_MEMCPY3D_v2.
struct CopyNode {
  CopySide from, to;
  std::size_t width_bytes = 0, height = 1, depth = 1;
};

/// CUgraphEdgeData: all zero is the ordinary order.
struct EdgeData {
  unsigned char from_port = 0, to_port = 0, type = 0, reserved[5] = {};
};

/// CUdevResource of SMs.
struct SmResource {
  int type = 0;
  unsigned char internal[92] = {};
  unsigned sms = 0, least = 0, alignment = 0;
  unsigned char rest[36] = {};
};

/// The functions of libcuda.so.1 that partitions and graphs need (CUDA 12.4 and later).
struct GraphApi {
  Code (*device_resource)(int device, SmResource* resource, int type);
  Code (*split_sms)(SmResource* groups, unsigned* count, const SmResource* input, SmResource* rest,
                    unsigned flags, unsigned least);
  Code (*describe)(void** description, SmResource* groups, unsigned count);
  Code (*green_create)(GreenContext* made, void* description, int device, unsigned flags);
  Code (*green_destroy)(GreenContext context);
  Code (*green_stream)(Stream* stream, GreenContext context, unsigned flags, int priority);
  Code (*context_of)(Context* context, GreenContext green);
  Code (*stream_destroy)(Stream stream);
  Code (*host_address)(Address* address, void* pointer, unsigned flags);
  Code (*copy)(Address to, Address from, std::size_t bytes, Stream stream);

  Code (*library_load)(Library* library, const void* image, void* options, void** values,
                       unsigned count, void* library_options, void** library_values,
                       unsigned library_count);
  Code (*library_kernel)(Kernel* kernel, Library library, const char* name);

  Code (*capture_begin)(Stream stream, int mode);
  Code (*capture_end)(Stream stream, Graph* graph);

  Code (*graph_create)(Graph* graph, unsigned flags);
  Code (*graph_clone)(Graph* clone, Graph original);
  Code (*graph_destroy)(Graph graph);
  Code (*graph_nodes)(Graph graph, GraphNode* nodes, std::size_t* count);
  Code (*graph_edges)(Graph graph, GraphNode* from, GraphNode* to, EdgeData* data,
                      std::size_t* count);
  Code (*add_edges)(Graph graph, const GraphNode* from, const GraphNode* to, const EdgeData* data,
                    std::size_t count);
  Code (*node_type)(GraphNode node, NodeType* type);
  Code (*node_destroy)(GraphNode node);
  Code (*child_graph)(GraphNode node, Graph* graph);
  Code (*kernel_get)(GraphNode node, KernelNode* kernel);
  Code (*kernel_set)(GraphNode node, const KernelNode* kernel);
  Code (*kernel_add)(GraphNode* node, Graph graph, const GraphNode* after, std::size_t count,
                     const KernelNode* kernel);
  Code (*memset_get)(GraphNode node, MemsetNode* memset);
  Code (*memset_add)(GraphNode* node, Graph graph, const GraphNode* after, std::size_t count,
                     const MemsetNode* memset, Context context);
  Code (*copy_get)(GraphNode node, CopyNode* copy);
  Code (*copy_add)(GraphNode* node, Graph graph, const GraphNode* after, std::size_t count,
                   const CopyNode* copy, Context context);
  Code (*instantiate)(GraphExec* exec, Graph graph, unsigned long long flags);
  Code (*upload)(GraphExec exec, Stream stream);
  Code (*launch)(GraphExec exec, Stream stream);
  Code (*exec_destroy)(GraphExec exec);
};

/// Both tables; every call of this folder goes through them.
struct Driver {
  const DriverApi* base = nullptr;
  const GraphApi* graphs = nullptr;

  /// Nothing, or what the driver says: "the GPU cannot <doing>: out of memory".
  std::optional<Error> failed(Code code, const char* doing) const;
};

/// Loaded on first use. An `Error` says what is missing.
Result<Driver> load_driver();

}  // namespace tactus::runtime::driver
