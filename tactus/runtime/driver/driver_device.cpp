#include "tactus/runtime/driver/driver_device.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "tactus/base/diagnostic.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/runtime/driver/open_gpu.hpp"
#include "tactus/runtime/driver/replays.hpp"
#include "tactus/runtime/emulator/bound_work.hpp"
#include "tactus/runtime/gpu/host_side.hpp"

namespace tactus::runtime {
namespace {

using driver::Driver;
using driver::SmPartition;

constexpr int kSmCount = 16, kCopyEngines = 40;   // CU_DEVICE_ATTRIBUTE_...
constexpr std::int64_t kHealthCheck = 5'000'000;  // ns
constexpr std::int64_t kWakeUp = 1'000'000;  // a sleeping thread wakes late, so it polls at the end

class DriverDevice final : public Device {
 public:
  DriverDevice(const System& system, const BackendOptions& options, const Driver& driver,
               Capabilities capabilities, driver::Context context)
      : system_(system),
        options_(options),
        bound_(system_, options.workload),
        driver_(driver),
        capabilities_(std::move(capabilities)),
        context_(context),
        replays_(driver, clock_) {
    places_.emplace_back(driver, capabilities_.sms, context);
  }
  ~DriverDevice() override {
    for (auto& [index, engine] : engines_) {
      driver_.base->stream_wait(engine.stream);
      driver_.graphs->stream_destroy(engine.stream);
    }
  }

  const Capabilities& capabilities() const override { return capabilities_; }

  Result<std::vector<Partition>> partition(std::span<const std::int64_t> sms) override {
    auto parts = driver::carve(driver_, options_.device, sms, driver::Splitting::kForClusters);
    if (!parts) return parts.error();
    std::vector<Partition> made;
    for (SmPartition& part : *parts) {
      made.push_back({static_cast<PartitionId>(places_.size()), sms[made.size()], part.sms()});
      places_.push_back(std::move(part));
    }
    return made;
  }

  Result<GraphId> prepare(std::span<const runtime::GraphNode>, Chaining) override {
    return no_kernels();
  }
  std::optional<Error> launch(const runtime::Kernel& kernel, OpId) override {
    const Task& task = system_.tasks.at(kernel.task);
    return Error{fmt::format("no graph is bound to {} of task {}, and {}",
                             quote(task.nodes.at(kernel.node).name), quote(task.name),
                             no_kernels().message)};
  }
  std::optional<Error> launch(GraphId, OpId) override { return no_kernels(); }

  bool runs_graph(TaskIndex task, NodeIndex node) const override {
    return bound_.graph(task, node) != nullptr;
  }
  bool has_callback(TaskIndex task, NodeIndex node, Phase phase) const override {
    return bound_.function(task, node, phase) != nullptr;
  }
  Result<std::string> prepare(const Replay& replay) override {
    if (replay.partition >= places_.size()) {
      return Error{fmt::format("there is no partition {}", replay.partition)};
    }
    enter();
    return replays_.prepare(replay, *bound_.graph(replay.task, replay.node),
                            places_[replay.partition], {});
  }

  std::optional<Error> start() override {
    enter();
    if (std::string line = host_.start(options_.realtime); !line.empty()) {
      capabilities_.features.push_back(std::move(line));
    }
    for (std::int64_t i = 0; i < capabilities_.copy_engines; ++i) {
      const auto stream = places_.front().make_stream(0);
      if (!stream) return stream.error();
      engines_[i].stream = *stream;
    }
    if (auto problem = replays_.measure_clock(places_.front())) return problem;
    origin_ = host::now_ns();
    return std::nullopt;
  }
  Time now() const override { return Time::from_ns(host::now_ns() - origin_); }

  std::optional<Error> launch(const Replay& replay, OpId op) override {
    return replays_.launch(replay, op);
  }
  std::optional<Error> run(const CpuWork& work, OpId op) override {
    return host_.submit(work, op, bound_.function(work.task, work.node, work.phase));
  }

  std::optional<Error> copy(const Copy& copy, OpId op) override {
    const UserCopy* own = bound_.copy(copy.task, copy.node);
    if (own == nullptr) {
      const Task& task = system_.tasks.at(copy.task);
      return Error{
          fmt::format("no copy is bound to {} of task {}, and this backend has no synthetic "
                      "work",
                      quote(task.nodes.at(copy.node).name), quote(task.name))};
    }
    Engine& engine = engines_[std::max<std::int64_t>(copy.engine, 0) % capabilities_.copy_engines];
    const std::int64_t before = host::now_ns();
    const driver::Code code = driver_.graphs->copy(reinterpret_cast<driver::Address>(own->to),
                                                   reinterpret_cast<driver::Address>(own->from),
                                                   own->bytes, engine.stream);
    if (auto problem = driver_.failed(code, "copy")) return problem;
    engine.copies.push_back({op, before});
    return std::nullopt;
  }

  Result<std::vector<Completion>> wait(std::optional<Time> until) override {
    for (;;) {
      std::vector<Completion> done;
      if (auto problem = collect(done)) return *problem;
      const std::int64_t now = host::now_ns();
      if (!done.empty() || (until && now - origin_ >= until->ns()) || rung()) return done;
      const bool idle = this->idle();
      if (idle && !until) return done;
      if (now >= next_health_check_) {
        next_health_check_ = now + kHealthCheck;
        if (auto problem = replays_.fault(now)) return *problem;
      }
      if (idle && host_.sleeps() && origin_ + until->ns() - now > 2 * kWakeUp) {
        sleep_until(origin_ + until->ns() - kWakeUp);
      } else {
        host::relax();
      }
    }
  }

 private:
  struct Engine {
    driver::Stream stream = nullptr;
    std::deque<std::pair<OpId, std::int64_t>> copies;  ///< in flight, and since when
    std::int64_t last_end = 0;
  };

  static Error no_kernels() {
    return Error{"this backend has no kernels of its own (a tactus built with nvcc has)"};
  }

  bool rung() const { return options_.doorbell != nullptr && options_.doorbell->rung(); }
  void sleep_until(std::int64_t ns) {
    if (options_.doorbell == nullptr) return host::sleep_until_ns(ns);
    options_.doorbell->sleep_until_ns(ns);
  }

  /// Graphs are captured, and kernels launched, in the context that the program uses anyway.
  void enter() { static_cast<void>(driver_.base->context_set(context_)); }

  bool idle() const {
    return replays_.idle() && host_.idle() &&
           std::all_of(engines_.begin(), engines_.end(),
                       [](const auto& engine) { return engine.second.copies.empty(); });
  }

  std::optional<Error> collect(std::vector<Completion>& done) {
    replays_.collect(origin_, done);
    host_.collect(origin_, done);
    for (auto& [index, engine] : engines_) {
      if (engine.copies.empty()) continue;
      const driver::Code code = driver_.base->stream_query(engine.stream);
      if (code == host::kNotReady) continue;
      if (auto problem = driver_.failed(code, "copy")) return problem;
      // Without marks between them, all that have ended since the last look end now.
      const std::int64_t seen = host::now_ns();
      for (const auto& [op, before] : engine.copies) {
        Completion& completion = done.emplace_back();
        completion.op = op;
        completion.submitted = Time::from_ns(before - origin_);
        completion.start = Time::from_ns(std::max(before, engine.last_end) - origin_);
        completion.end = Time::from_ns(seen - origin_);
      }
      engine.last_end = seen;
      engine.copies.clear();
    }
    std::stable_sort(done.begin(), done.end(),
                     [](const Completion& a, const Completion& b) { return a.end < b.end; });
    return std::nullopt;
  }

  System system_;
  BackendOptions options_;
  BoundWork bound_;
  Driver driver_;
  Capabilities capabilities_;
  driver::Context context_;
  gpu::GpuClock clock_;
  std::deque<SmPartition> places_;  ///< by id; the whole GPU is the first
  driver::Replays replays_;
  gpu::HostSide host_;
  std::map<std::int64_t, Engine> engines_;
  std::int64_t origin_ = 0, next_health_check_ = 0;
};

}  // namespace

Result<std::unique_ptr<Device>> open_driver_device(const System& system,
                                                   const BackendOptions& options) {
  const auto opened = driver::open_gpu(options.device);
  if (!opened) return opened.error();
  const Driver& driver = opened->driver;
  const int device = opened->device;
  const auto& api = *driver.base;
  int sms = 0, engines = 0, least = 0, greatest = 0;
  char name[128] = {};
  for (const driver::Code code : {api.device_name(name, sizeof name - 1, device),
                                  api.device_attribute(&sms, kSmCount, device),
                                  api.device_attribute(&engines, kCopyEngines, device),
                                  api.priority_range(&least, &greatest)}) {
    if (auto problem = driver.failed(code, "be used")) return *problem;
  }
  const driver::SmGroups groups =
      driver::look_at_groups(driver, device, driver::Splitting::kForClusters);
  Capabilities machine;
  machine.name = name;
  machine.sms = sms;
  machine.partition_step = machine.partition_least = std::max<std::int64_t>(groups.step, 1);
  machine.divisible = groups.total;
  machine.priorities = least - greatest + 1;
  machine.copy_engines = std::max(engines, 1);
  machine.cores = gpu::HostSide::cores();
  machine.features.push_back(
      fmt::format("through the driver alone: green contexts in steps of {} SMs, graphs of the user",
                  groups.step));
  return std::unique_ptr<Device>(
      std::make_unique<DriverDevice>(system, options, driver, std::move(machine), opened->context));
}

}  // namespace tactus::runtime
