#include <fmt/format.h>

#include <algorithm>

#include "tactus/runtime/cuda/cuda_device.hpp"
#include "tactus/runtime/cuda/driver.hpp"

namespace tactus::runtime::cuda {
namespace {

CUkernel handle_of(const void* function) {
  cudaKernel_t handle = nullptr;
  check(cudaGetKernel(&handle, function), "find a kernel");
  return reinterpret_cast<CUkernel>(handle);
}

/// Priorities of nodes count only if they are asked for; this is not needed if all are equal.
unsigned long long flags_of(std::span<const GraphNode> nodes) {
  const bool any = std::any_of(nodes.begin(), nodes.end(), [](const GraphNode& node) {
    return node.kernel && node.kernel->priority != 0;
  });
  return any ? cudaGraphInstantiateFlagUseNodePriority : 0;
}

}  // namespace

Result<GraphId> CudaDevice::prepare(std::span<const GraphNode> nodes, Chaining chaining) {
  return guarded<GraphId>([&] {
    // First what every node does: the records of all of them are one array.
    std::vector<ReadyKernel> ready(nodes.size());
    std::vector<gpu::Evidence> evidence(nodes.size());
    std::size_t records = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      evidence[i].first = records;
      if (!nodes[i].kernel) continue;
      const Kernel& kernel = *nodes[i].kernel;
      ready[i] = work_of_(kernel, place_of(kernel.partition).ids);
      evidence[i] = evidence_of(kernel, ready[i]);
      evidence[i].first = records;
      records += ready[i].grid;
    }
    if (records == 0) throw CudaError("a graph without kernels was to be prepared");
    PreparedGraph prepared{Lane(make_stream(), records),
                           std::move(evidence),
                           DeviceArray<PinnedState>(nodes.size()),
                           {},
                           0};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      ready[i].view.records = prepared.lane.device_records() + prepared.nodes[i].first;
      if (!nodes[i].kernel) continue;
      prepared.work_ns += nodes[i].kernel->load.ns() / nodes[i].kernel->blocks;
      if (nodes[i].kernel->pinning) ready[i].view.pinned = prepared.pinned.data() + i;
    }
    if (chaining == Chaining::kStreams) {
      prepared.streams = make_streams(nodes, std::move(ready));
    } else {
      prepared.exec = make_exec(nodes, ready);
      check(cudaGraphUpload(prepared.exec.get(), prepared.lane.stream()), "upload a graph");
      check(cudaStreamSynchronize(prepared.lane.stream()), "upload a graph");
    }
    graphs_.push_back(std::move(prepared));
    return static_cast<GraphId>(graphs_.size() - 1);
  });
}

GraphExec CudaDevice::make_exec(std::span<const GraphNode> nodes, std::vector<ReadyKernel>& ready) {
  if (cuda::driver().graph_add_node == nullptr) {
    throw CudaError("this driver is too old for graphs of partitioned kernels (CUDA 13 is needed)");
  }
  cudaGraph_t made = nullptr;
  check(cudaGraphCreate(&made, 0), "make a graph");
  const Graph graph(made);
  std::vector<CUgraphNode> added;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<CUgraphNode> after;
    for (const std::uint32_t before : nodes[i].after) after.push_back(added.at(before));
    const Kernel* kernel = nodes[i].kernel ? &*nodes[i].kernel : nullptr;
    added.push_back(add_node(made, kernel, after, &ready[i]));
  }
  cudaGraphExec_t exec = nullptr;
  check(cudaGraphInstantiate(&exec, made, flags_of(nodes)), "make a graph ready");
  return GraphExec(exec);
}

CudaDevice::Streams CudaDevice::make_streams(std::span<const GraphNode> nodes,
                                             std::vector<ReadyKernel> ready) {
  auto plan = streams_of(nodes);
  if (!plan) throw CudaError(plan.error().message);
  Streams made{std::move(*plan), {}, {}, {}};
  for (const std::uint32_t leader : made.plan.leaders) {
    const auto& kernel = nodes[leader].kernel;
    const int priority =
        kernel ? -std::clamp(kernel->priority, 0, capabilities_.priorities - 1) : 0;
    made.streams.push_back(
        make_stream(place_of(kernel ? kernel->partition : kWholeGpu).sms, priority));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    made.events.push_back(made.plan.nodes[i].records ? make_event(cudaEventDisableTiming)
                                                     : Event());
    made.ready.emplace_back();
    if (nodes[i].kernel) made.ready.back() = std::move(ready[i]);
  }
  return made;
}

/// The job before has ended, so that nothing is left on the streams.
void CudaDevice::launch_streams(PreparedGraph& prepared) {
  Streams& chain = *prepared.streams;
  for (std::size_t i = 0; i < chain.plan.nodes.size(); ++i) {
    const StreamPlan::Node& node = chain.plan.nodes[i];
    const cudaStream_t stream = chain.streams[node.stream].get();
    for (const std::uint32_t before : node.waits) {
      check(cudaStreamWaitEvent(stream, chain.events[before].get(), 0), "wait for an event");
    }
    if (chain.ready[i]) launch_ready(*chain.ready[i], stream);
    if (node.records) check(cudaEventRecord(chain.events[i].get(), stream), "record an event");
    if (!node.last) continue;
    check(cudaStreamWaitEvent(prepared.lane.stream(), chain.events[i].get(), 0),
          "wait for an event");
  }
}

CUgraphNode CudaDevice::add_node(CUgraph graph, const Kernel* kernel,
                                 const std::vector<CUgraphNode>& after, ReadyKernel* ready) {
  CUgraphNodeParams parameters = {};
  std::vector<void*> arguments = ready->arguments();
  if (kernel == nullptr) {
    parameters.type = CU_GRAPH_NODE_TYPE_EMPTY;
  } else {
    parameters.type = CU_GRAPH_NODE_TYPE_KERNEL;
    CUDA_KERNEL_NODE_PARAMS_v3& launch = parameters.kernel;
    launch.kern = handle_of(ready->function);
    launch.ctx = static_cast<CUcontext>(place_of(kernel->partition).sms.context());
    launch.gridDimX = ready->grid;
    launch.gridDimY = launch.gridDimZ = launch.blockDimY = launch.blockDimZ = 1;
    launch.blockDimX = ready->threads;
    launch.sharedMemBytes = static_cast<unsigned>(ready->shared);
    launch.kernelParams = arguments.data();
  }
  CUgraphNode node = nullptr;
  check(
      cuda::driver().graph_add_node(&node, graph, after.data(), nullptr, after.size(), &parameters),
      "add a node to a graph");
  if (kernel != nullptr) {
    cudaKernelNodeAttrValue value = {};
    value.priority = -std::clamp(kernel->priority, 0, capabilities_.priorities - 1);
    check(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value),
          "give a node its priority");
  }
  return node;
}

}  // namespace tactus::runtime::cuda
