#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tactus/runtime/block_view.hpp"

/// Kernels of your own under a plan. Write the work of ONE logical block as a functor whose members
/// are its arguments; the runtime decides how many SMs execute them, and which part of them when:
///
///     struct Scale {                                  // in a .cu file
///       float* data; std::uint32_t count;
///       __device__ void operator()(std::uint32_t block) const {
///         const std::uint32_t i = block * blockDim.x + threadIdx.x;
///         if (i < count) data[i] *= 2;
///       }
///     };
///
///     Workload work;
///     work.bind("camera", "scale", make_kernel(Scale{data, n}, (n + 255) / 256, 256));
///     options.workload = &work;                       // then open the backend "cuda", and run
///
/// A network or a library's work, which nobody can cut into blocks, is bound as a whole: as a CUDA
/// graph that was captured before, or as a function that enqueues the work on a stream.
///
///     work.bind("camera", "detect", UserGraph{.graph = captured});           // a cudaGraph_t
///     work.bind("camera", "track", UserGraph{.enqueue = [&](void* stream) {
///       network.run(static_cast<cudaStream_t>(stream)); }});
///
/// A node without a binding does synthetic work of its `load`; a binding to a node that does not
/// exist is refused when the backend is opened. Copies bound to a node are made from and to pinned
/// memory. Nothing here needs CUDA headers; `make_kernel` is for nvcc.
namespace tactus {
struct Error;
struct System;
}  // namespace tactus

namespace tactus::runtime {

/// A kernel of the user: its logical grid and its arguments. One block of it may be no larger than
/// the plan's share of an SM.
struct UserKernel {
  const void* function = nullptr;  ///< takes a `BlockView` and `body`
  std::vector<std::byte> body;     ///< the functor
  std::int64_t blocks = 1;         ///< of the logical grid
  unsigned threads = 1;            ///< of a block
  std::size_t shared_memory = 0;   ///< dynamic, of a block
};

/// A copy of the user, between pinned host memory and device memory.
struct UserCopy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
};

/// GPU work that runs as a whole, on all SMs of its partition. One of the two is enough; where both
/// are given, `enqueue` is used if the graph cannot be moved into the partition.
struct UserGraph {
  /// A `cudaGraph_t` (which is a `CUgraph`). It is cloned; the original stays as it is, and what
  /// its kernels use must outlive the device.
  void* graph = nullptr;
  /// Enqueues all the work on the given `cudaStream_t`, which is being captured: the function is
  /// called once, before the run, on the thread that runs the plan, and must not wait for the stream.
  std::function<void(void* stream)> enqueue = nullptr;
};

/// What is done on the CPU for each job of a node, right before it is submitted and right after it
/// has ended: its input and its output. Their time is part of the node's time.
struct NodeCallbacks {
  std::function<void()> before, after;
};

/// What the nodes of a system do, by the names of task and node. What the pointers in it point to
/// must outlive the device.
class Workload {
 public:
  void bind(std::string task, std::string node, UserKernel kernel) {
    kernels_[{std::move(task), std::move(node)}] = std::move(kernel);
  }
  void bind(std::string task, std::string node, UserCopy copy) {
    copies_[{std::move(task), std::move(node)}] = copy;
  }
  void bind(std::string task, std::string node, UserGraph graph) {
    graphs_[{std::move(task), std::move(node)}] = std::move(graph);
  }
  /// May be bound beside any of the others. Called on the core of the task's CPU work, if it has
  /// one; not interrupted by more urgent work there.
  void bind(std::string task, std::string node, NodeCallbacks callbacks) {
    callbacks_[{std::move(task), std::move(node)}] = std::move(callbacks);
  }
  /// Work of a CPU node. It is not interrupted by more urgent work on its core.
  void bind(std::string task, std::string node, std::function<void()> function) {
    functions_[{std::move(task), std::move(node)}] = std::move(function);
  }

  /// The parts that do not fit the system: an unknown name, work on the wrong kind of element, a
  /// kernel that no GPU can launch. A typing error must not silently become synthetic work.
  std::optional<Error> misfit(const System& system) const;

  bool has_graphs() const { return !graphs_.empty(); }
  const UserKernel* kernel(std::string_view task, std::string_view node) const {
    return find(kernels_, task, node);
  }
  const UserCopy* copy(std::string_view task, std::string_view node) const {
    return find(copies_, task, node);
  }
  const UserGraph* graph(std::string_view task, std::string_view node) const {
    return find(graphs_, task, node);
  }
  const NodeCallbacks* callbacks(std::string_view task, std::string_view node) const {
    return find(callbacks_, task, node);
  }
  const std::function<void()>* function(std::string_view task, std::string_view node) const {
    return find(functions_, task, node);
  }

 private:
  template <typename Bound>
  using Table = std::map<std::pair<std::string, std::string>, Bound>;
  template <typename Bound>
  static const Bound* find(const Table<Bound>& table, std::string_view task,
                           std::string_view node) {
    const auto found = table.find({std::string(task), std::string(node)});
    return found == table.end() ? nullptr : &found->second;
  }

  Table<UserKernel> kernels_;
  Table<UserCopy> copies_;
  Table<std::function<void()>> functions_;
  Table<UserGraph> graphs_;
  Table<NodeCallbacks> callbacks_;
};

#ifdef __CUDACC__

template <typename Body>
__global__ void over_blocks(const __grid_constant__ BlockView view,
                            const __grid_constant__ Body body) {
  for_each_block(view, body);
}

/// A kernel that calls `body(block)` for the logical blocks 0 .. blocks-1.
template <typename Body>
UserKernel make_kernel(const Body& body, std::int64_t blocks, unsigned threads,
                       std::size_t shared_memory = 0) {
  static_assert(std::is_trivially_copyable_v<Body>, "the functor is copied to the device");
  UserKernel kernel{
      reinterpret_cast<const void*>(&over_blocks<Body>), {}, blocks, threads, shared_memory};
  kernel.body.resize(sizeof(Body));
  std::memcpy(kernel.body.data(), &body, sizeof(Body));
  return kernel;
}

#endif

}  // namespace tactus::runtime
