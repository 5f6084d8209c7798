#include "tactus/runtime/cuda/cuda_device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/statistics.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::runtime::cuda {
namespace {

/// The longest that the GPU is left idle before work comes, with a margin (see `keep_awake`), ns.
constexpr std::int64_t kIdle = 300'000;

template <typename Work>
std::optional<Error> attempt(Work work) {
  try {
    work();
    return std::nullopt;
  } catch (const std::exception& problem) {
    return Error{problem.what()};
  }
}

}  // namespace

gpu::Evidence evidence_of(const Kernel& kernel, const ReadyKernel& ready) {
  const std::int64_t seats = kernel.pinning ? kernel.pinning->count * kernel.pinning->seats : 0;
  return {0, ready.grid, ready.expected, std::min(seats, ready.expected)};
}

void launch_ready(ReadyKernel& ready, cudaStream_t stream) {
  std::vector<void*> arguments = ready.arguments();
  check(cudaLaunchKernel(ready.function, dim3(ready.grid), dim3(ready.threads), arguments.data(),
                         ready.shared, stream),
        "launch a kernel");
}

CudaDevice::CudaDevice(const System& system, const BackendOptions& options, const GpuInfo& info,
                       KernelKind kind, const driver::Driver& driver)
    : system_(system),
      options_(options),
      bound_(system_, options.workload),
      rates_(info),
      arena_(kArenaBytes / sizeof(float4)),
      work_of_(system_, options.workload, kind, rates_, arena_.data()),
      driver_(driver),
      replays_(driver, clock_) {
  capabilities_.name = info.name;
  capabilities_.sms = info.sms;
  capabilities_.partition_step = std::max<std::int64_t>(info.partition_step, 1);
  capabilities_.partition_least = std::max<std::int64_t>(info.partition_least, 1);
  const driver::SmGroups groups = driver::look_at_groups(driver_, info.device, splitting());
  if (groups.step > 0) {
    capabilities_.partition_step = capabilities_.partition_least = groups.step;
    capabilities_.divisible = groups.total;
  }
  capabilities_.priorities = info.priorities;
  capabilities_.copy_engines = std::max<std::int64_t>(info.copy_engines, 1);
  capabilities_.cores = gpu::HostSide::cores();
  capabilities_.features = info.features;
  capabilities_.timer_step = Time::from_ns(measure_timer_step());
  capabilities_.operation_cost =
      Time::from_ns(static_cast<std::int64_t>(quantile(measure_operations(kIdle, 100), 0.99)));
  wake_stream_ = make_stream();
  wake_answer_ = HostArray<std::uint64_t>(1);
  // Arrays were reserved above: the context that everything shares is there and current.
  driver::Context whole = nullptr;
  if (auto problem = driver_.failed(driver_.base->context_retain(&whole, info.device), "be used")) {
    throw CudaError(problem->message);
  }
  places_.push_back({SmPartition(driver_, info.sms, whole), {}, {}});
  places_.front().ids = observe_sms(make_stream(), info.sms);
  expect_shapes();
}

/// What the executors may launch, so that its rates are known before the start.
void CudaDevice::expect_shapes() {
  work_of_.expect(SmShare{}, 0);
  for (const Task& task : system_.tasks) {
    for (const Node& node : task.nodes) {
      const Element& element = system_.platform.elements[node.on];
      if (element.kind != ElementKind::kGpu) continue;
      if (node.threads) work_of_.expect(SmShare{0, 1}, *node.threads);
      if (element.lanes > 1) {
        work_of_.expect(SmShare{node.parallelism.value_or(1), element.lanes},
                        node.threads.value_or(0));
      }
    }
  }
}

CudaDevice::~CudaDevice() {
  // Kernels are bounded, so this ends; a lost device answers at once.
  ignore(cudaDeviceSynchronize());
}

Result<std::vector<Partition>> CudaDevice::partition(std::span<const std::int64_t> sms) {
  return guarded<std::vector<Partition>>([&] {
    std::vector<Partition> made;
    auto parts = driver::carve(driver_, options_.device, sms, splitting());
    if (!parts) throw CudaError(parts.error().message);
    for (SmPartition& part : *parts) {
      made.push_back({static_cast<PartitionId>(places_.size()), sms[made.size()], part.sms()});
      places_.push_back({std::move(part), {}, {}});
      const SmPartition& own = places_.back().sms;
      places_.back().ids = observe_sms(make_stream(own, 0), own.sms());
    }
    return made;
  });
}

std::optional<Error> CudaDevice::start() {
  return attempt([&] {
    if (std::string line = host_.start(options_.realtime); !line.empty()) {
      capabilities_.features.push_back(std::move(line));
    }
    make_lanes();
    work_of_.freeze();
    warm_up();
    measure(clock_);
    origin_ = host::now_ns();
  });
}

/// Only as many as plans use at a time: streams beyond the hardware's queues share one, and then a
/// kernel waits for the end of another that it has nothing to do with.
void CudaDevice::make_lanes() {
  const std::size_t most = std::max<std::size_t>(30 / places_.size(), 2);
  std::size_t kernels = 0, blocks = 0;
  bool copies = false;
  for (const Task& task : system_.tasks) {
    for (const Node& node : task.nodes) {
      const ElementKind kind = system_.platform.elements[node.on].kind;
      kernels += kind == ElementKind::kGpu ? 1 : 0;
      copies = copies || kind == ElementKind::kCopy;
      blocks = std::max(blocks, static_cast<std::size_t>(node.blocks.value_or(0)));
    }
  }
  const bool divided = places_.size() > 1;
  for (Place& place : places_) {
    const bool whole = &place == &places_.front();
    const std::size_t wanted = whole && divided ? 1 : std::clamp<std::size_t>(kernels, 1, most);
    while (place.lanes[0].size() < wanted) {
      place.lanes[0].emplace_back(make_stream(place.sms, 0)).make_room(blocks);
    }
  }
  for (std::int64_t i = 0; copies && i < capabilities_.copy_engines; ++i) engine_of(i);
}

void CudaDevice::warm_up() {
  // The clocks rise under load and sink soon after it: all SMs work until just before the start.
  ReadyKernel ready = work_of_.synthetic(Time::from_ms(10), places_.front().sms.sms());
  Lane& lane = idle_lane(places_.front(), 0);
  for (int i = 0; i < 20; ++i) {
    lane.make_room(ready.grid);
    ready.view.records = lane.device_records();
    launch_ready(ready, lane.stream());
    check(cudaStreamSynchronize(lane.stream()), "warm up");
    std::ranges::fill(lane.records(), BlockRecord());
  }
  // The first copy of an engine, and the first use of a stream, are slower than all others.
  for (auto& [index, engine] : engines_) {
    const std::size_t bytes = engine.device.size();
    const cudaStream_t stream = engine.lane.stream();
    check(
        cudaMemcpyAsync(engine.device.data(), engine.host.data(), bytes, cudaMemcpyDefault, stream),
        "warm up");
    check(
        cudaMemcpyAsync(engine.host.data(), engine.device.data(), bytes, cudaMemcpyDefault, stream),
        "warm up");
    engine.lane.mark();
    check(cudaStreamSynchronize(stream), "warm up");
  }
  for (Place& place : places_) {
    for (auto& [priority, lanes] : place.lanes) {
      for (Lane& one : lanes) {
        one.mark();
        check(cudaStreamSynchronize(one.stream()), "warm up");
      }
    }
  }
}

CudaDevice::Place& CudaDevice::place_of(PartitionId id) {
  if (id >= places_.size()) throw CudaError(fmt::format("there is no partition {}", id));
  return places_[id];
}

Lane& CudaDevice::idle_lane(Place& place, int priority) {
  priority = std::clamp(priority, 0, capabilities_.priorities - 1);
  std::deque<Lane>& lanes = place.lanes[priority];
  for (Lane& lane : lanes) {
    if (!lane.busy) return lane;
  }
  return lanes.emplace_back(make_stream(place.sms, -priority));
}

std::size_t CudaDevice::largest_copy() const {
  std::int64_t most = 1;
  for (const Task& task : system_.tasks) {
    for (const Node& node : task.nodes) {
      if (system_.platform.elements[node.on].kind != ElementKind::kCopy || !node.wcet) continue;
      for (const gpu::Line& line : {rates_.rates().to_device, rates_.rates().to_host}) {
        most = std::max(most, gpu::bytes_for(static_cast<double>(node.wcet->ns()), line));
      }
    }
  }
  return static_cast<std::size_t>(most);
}

CudaDevice::Engine& CudaDevice::engine_of(std::int64_t index) {
  if (index < 0) throw CudaError(fmt::format("there is no copy engine {}", index + 1));
  index %= capabilities_.copy_engines;
  const auto found = engines_.find(index);
  if (found != engines_.end()) return found->second;
  const std::size_t bytes = largest_copy();
  Engine engine{
      Lane(make_stream(), 1), {}, HostArray<std::byte>(bytes), DeviceArray<std::byte>(bytes)};
  for (int i = 0; i < 8; ++i) engine.idle_timers.emplace_back(make_event(), make_event());
  return engines_.emplace(index, std::move(engine)).first->second;
}

std::optional<Error> CudaDevice::launch(const Kernel& kernel, OpId op) {
  return attempt([&] {
    Place& place = place_of(kernel.partition);
    ReadyKernel ready = work_of_(kernel, place.ids);
    Lane& lane = idle_lane(place, kernel.priority);
    lane.make_room(ready.grid);
    ready.view.records = lane.device_records();
    if (kernel.pinning) ready.view.pinned = lane.pinned();
    InFlight flight{.op = op, .lane = &lane, .before = host::now_ns()};
    launch_ready(ready, lane.stream());
    lane.busy = true;
    flight.evidence = {{evidence_of(kernel, ready)}, lane.records()};
    flight.work_ns = kernel.load.ns() / kernel.blocks;
    launched(std::move(flight));
  });
}

std::optional<Error> CudaDevice::launch(GraphId graph, OpId op) {
  return attempt([&] {
    if (graph >= graphs_.size()) throw CudaError(fmt::format("there is no graph {}", graph));
    PreparedGraph& prepared = graphs_[graph];
    if (prepared.running) throw CudaError(fmt::format("graph {} is still running", graph));
    InFlight flight{.op = op, .lane = &prepared.lane, .before = host::now_ns()};
    flight.graph = &prepared;
    if (prepared.streams) {
      launch_streams(prepared);
    } else {
      check(cudaGraphLaunch(prepared.exec.get(), prepared.lane.stream()), "launch a graph");
    }
    prepared.running = true;
    flight.work_ns = prepared.work_ns;
    flight.evidence = {prepared.nodes, prepared.lane.records()};
    launched(std::move(flight));
  });
}

Result<std::string> CudaDevice::prepare(const Replay& replay) {
  return guarded<std::string>([&] {
    const Place& place = place_of(replay.partition);
    auto how =
        replays_.prepare(replay, *bound_.graph(replay.task, replay.node), place.sms, place.ids);
    if (!how) throw CudaError(how.error().message);
    return *how;
  });
}

std::optional<Error> CudaDevice::launch(const Replay& replay, OpId op) {
  return replays_.launch(replay, op);
}

std::optional<Error> CudaDevice::run(const CpuWork& work, OpId op) {
  return host_.submit(work, op, bound_.function(work.task, work.node, work.phase));
}

std::optional<Error> CudaDevice::copy(const Copy& copy, OpId op) {
  return attempt([&] {
    Engine& engine = engine_of(copy.engine);
    const bool up = copy.direction == Direction::kToDevice;
    const gpu::Line& line = up ? rates_.rates().to_device : rates_.rates().to_host;
    const auto bytes =
        static_cast<std::size_t>(gpu::bytes_for(static_cast<double>(copy.load.ns()), line));
    UserCopy what{engine.host.data(), engine.device.data(), std::min(bytes, engine.device.size())};
    if (up) what = {engine.device.data(), engine.host.data(), what.bytes};
    if (const UserCopy* own = bound_.copy(copy.task, copy.node)) what = *own;
    if (engine.idle_timers.empty()) engine.idle_timers.emplace_back(make_event(), make_event());
    InFlight flight{.op = op, .lane = &engine.lane, .before = host::now_ns()};
    flight.engine = &engine;
    flight.timer = std::move(engine.idle_timers.back());
    engine.idle_timers.pop_back();
    const cudaStream_t stream = engine.lane.stream();
    check(cudaEventRecord(flight.timer.first.get(), stream), "time a copy");
    check(cudaMemcpyAsync(what.to, what.from, what.bytes,
                          up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream),
          "copy");
    check(cudaEventRecord(flight.timer.second.get(), stream), "time a copy");
    launched(std::move(flight));
  });
}

void CudaDevice::launched(InFlight flight) {
  flight.number = flight.lane->mark();
  flight.submitted = host::now_ns();
  in_flight_.push_back(std::move(flight));
}

}  // namespace tactus::runtime::cuda
