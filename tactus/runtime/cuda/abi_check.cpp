// tactus/runtime/driver states the layouts of the driver's blocks itself, so that it can be built
// without CUDA's headers. Where these are there, the compiler compares the two.
#include <cuda.h>

#include <cstddef>

#include "tactus/runtime/driver/graph_api.hpp"

namespace tactus::runtime::driver {
namespace {

static_assert(sizeof(KernelNode) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
static_assert(offsetof(KernelNode, shared_bytes) ==
              offsetof(CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes));
static_assert(offsetof(KernelNode, parameters) ==
              offsetof(CUDA_KERNEL_NODE_PARAMS_v2, kernelParams));
static_assert(offsetof(KernelNode, kernel) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, kern));
static_assert(offsetof(KernelNode, context) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, ctx));

static_assert(sizeof(MemsetNode) == sizeof(CUDA_MEMSET_NODE_PARAMS_v1));
static_assert(offsetof(MemsetNode, value) == offsetof(CUDA_MEMSET_NODE_PARAMS_v1, value));
static_assert(offsetof(MemsetNode, width) == offsetof(CUDA_MEMSET_NODE_PARAMS_v1, width));

static_assert(sizeof(CopyNode) == sizeof(CUDA_MEMCPY3D_v2));
static_assert(offsetof(CopyNode, from) + offsetof(CopySide, memory) ==
              offsetof(CUDA_MEMCPY3D_v2, srcMemoryType));
static_assert(offsetof(CopyNode, from) + offsetof(CopySide, device) ==
              offsetof(CUDA_MEMCPY3D_v2, srcDevice));
static_assert(offsetof(CopyNode, to) == offsetof(CUDA_MEMCPY3D_v2, dstXInBytes));
static_assert(offsetof(CopyNode, to) + offsetof(CopySide, height) ==
              offsetof(CUDA_MEMCPY3D_v2, dstHeight));
static_assert(offsetof(CopyNode, width_bytes) == offsetof(CUDA_MEMCPY3D_v2, WidthInBytes));

static_assert(sizeof(EdgeData) == sizeof(CUgraphEdgeData));
static_assert(sizeof(SmResource) == sizeof(CUdevResource));
static_assert(offsetof(SmResource, sms) == offsetof(CUdevResource, sm));

static_assert(static_cast<int>(NodeType::kKernel) == CU_GRAPH_NODE_TYPE_KERNEL &&
              static_cast<int>(NodeType::kCopy) == CU_GRAPH_NODE_TYPE_MEMCPY &&
              static_cast<int>(NodeType::kMemset) == CU_GRAPH_NODE_TYPE_MEMSET &&
              static_cast<int>(NodeType::kHost) == CU_GRAPH_NODE_TYPE_HOST &&
              static_cast<int>(NodeType::kChild) == CU_GRAPH_NODE_TYPE_GRAPH &&
              static_cast<int>(NodeType::kEmpty) == CU_GRAPH_NODE_TYPE_EMPTY &&
              static_cast<int>(NodeType::kWaitEvent) == CU_GRAPH_NODE_TYPE_WAIT_EVENT &&
              static_cast<int>(NodeType::kRecordEvent) == CU_GRAPH_NODE_TYPE_EVENT_RECORD &&
              static_cast<int>(NodeType::kAllocate) == CU_GRAPH_NODE_TYPE_MEM_ALLOC &&
              static_cast<int>(NodeType::kBatchMemory) == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP &&
              static_cast<int>(NodeType::kConditional) == CU_GRAPH_NODE_TYPE_CONDITIONAL);

}  // namespace
}  // namespace tactus::runtime::driver
