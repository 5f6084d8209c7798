#pragma once

#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "tactus/host/clock.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/cuda/completions.hpp"
#include "tactus/runtime/cuda/partitions.hpp"
#include "tactus/runtime/cuda/work_of.hpp"
#include "tactus/runtime/driver/replays.hpp"
#include "tactus/runtime/emulator/bound_work.hpp"
#include "tactus/runtime/gpu/evidence.hpp"
#include "tactus/runtime/gpu/host_side.hpp"
#include "tactus/runtime/stream_plan.hpp"

namespace tactus::runtime::cuda {

/// The machine for real. Kernels go to streams of their partition and priority, graphs to a stream
/// of their own, copies to a stream for each engine, CPU work to pinned threads. The streams write
/// words in host memory that show what has completed.
class CudaDevice final : public Device {
 public:
  CudaDevice(const System& system, const BackendOptions& options, const GpuInfo& info,
             KernelKind kind, const driver::Driver& driver);
  ~CudaDevice() override;

  const Capabilities& capabilities() const override { return capabilities_; }
  Result<std::vector<Partition>> partition(std::span<const std::int64_t> sms) override;
  Result<GraphId> prepare(std::span<const GraphNode> nodes, Chaining chaining) override;
  bool runs_graph(TaskIndex task, NodeIndex node) const override {
    return bound_.graph(task, node) != nullptr;
  }
  bool has_callback(TaskIndex task, NodeIndex node, Phase phase) const override {
    return bound_.function(task, node, phase) != nullptr;
  }
  Result<std::string> prepare(const Replay& replay) override;
  std::optional<Error> start() override;
  Time now() const override { return Time::from_ns(host::now_ns() - origin_); }
  std::optional<Error> launch(const Kernel& kernel, OpId op) override;
  std::optional<Error> launch(GraphId graph, OpId op) override;
  std::optional<Error> launch(const Replay& replay, OpId op) override;
  std::optional<Error> run(const CpuWork& work, OpId op) override;
  std::optional<Error> copy(const Copy& copy, OpId op) override;
  Result<std::vector<Completion>> wait(std::optional<Time> until) override;

 private:
  /// A partition; the whole GPU is the first.
  struct Place {
    SmPartition sms;
    std::vector<std::int32_t> ids;
    std::map<int, std::deque<Lane>> lanes;  ///< by priority
  };
  /// A graph that streams and events keep in order.
  struct Streams {
    StreamPlan plan;
    std::vector<Stream> streams;
    std::vector<Event> events;                      ///< by node, where it records one
    std::vector<std::optional<ReadyKernel>> ready;  ///< by node
  };
  struct PreparedGraph {
    Lane lane;
    std::vector<gpu::Evidence> nodes;
    DeviceArray<PinnedState> pinned;  ///< one for each node
    GraphExec exec;
    std::int64_t work_ns = 0;  ///< of its kernels, one after the other
    bool running = false;
    std::optional<Streams> streams = {};  ///< in the place of `exec`
  };
  using Timer = std::pair<Event, Event>;  ///< before and after a copy
  struct Engine {
    Lane lane;
    std::vector<Timer> idle_timers;
    HostArray<std::byte> host;
    DeviceArray<std::byte> device;
  };
  /// An operation on its way. Times are CLOCK_MONOTONIC.
  struct InFlight {
    OpId op = 0;
    Lane* lane = nullptr;
    std::int64_t before = 0, submitted = 0;  ///< the call
    std::uint32_t number = 0;                ///< of the lane's mark
    std::int64_t work_ns = 0;                ///< about how long it takes
    gpu::EvidenceReader evidence{};          ///< of a launch or a graph
    PreparedGraph* graph = nullptr;
    Engine* engine = nullptr;
    Timer timer{};
  };

  /// Kernels of libraries, in graphs of the user, may need SMs in which clusters fit.
  driver::Splitting splitting() const {
    const bool graphs = options_.workload != nullptr && options_.workload->has_graphs();
    return graphs ? driver::Splitting::kForClusters : driver::Splitting::kFinest;
  }
  Place& place_of(PartitionId id);
  Lane& idle_lane(Place& place, int priority);
  Engine& engine_of(std::int64_t index);
  std::size_t largest_copy() const;
  void expect_shapes();
  void make_lanes();
  void warm_up();
  CUgraphNode add_node(CUgraph graph, const Kernel* kernel, const std::vector<CUgraphNode>& after,
                       ReadyKernel* ready);
  GraphExec make_exec(std::span<const GraphNode> nodes, std::vector<ReadyKernel>& ready);
  Streams make_streams(std::span<const GraphNode> nodes, std::vector<ReadyKernel> ready);
  static void launch_streams(PreparedGraph& prepared);
  void launched(InFlight flight);
  bool collect(std::vector<Completion>& done);
  Completion complete(InFlight& flight, std::int64_t seen);
  void check_health(std::int64_t now);
  void keep_awake(std::int64_t now);
  Time on_clock(std::int64_t monotonic) const { return Time::from_ns(monotonic - origin_); }

  System system_;
  BackendOptions options_;
  BoundWork bound_;
  Capabilities capabilities_;
  RateBook rates_;
  DeviceArray<float4> arena_;
  WorkOf work_of_;
  std::deque<Place> places_;
  std::deque<PreparedGraph> graphs_;
  std::map<std::int64_t, Engine> engines_;
  gpu::HostSide host_;
  std::vector<InFlight> in_flight_;
  Stream wake_stream_;
  HostArray<std::uint64_t> wake_answer_;
  gpu::GpuClock clock_;
  driver::Driver driver_;
  driver::Replays replays_;
  std::int64_t origin_ = 0, next_health_check_ = 0;
  std::int64_t last_use_ = 0;  ///< of the GPU
};

/// What a kernel must show afterwards, in records from the first on.
gpu::Evidence evidence_of(const Kernel& kernel, const ReadyKernel& ready);

/// Gives a kernel to a stream.
void launch_ready(ReadyKernel& ready, cudaStream_t stream);

}  // namespace tactus::runtime::cuda
