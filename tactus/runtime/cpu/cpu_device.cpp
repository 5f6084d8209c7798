#include "tactus/runtime/cpu/cpu_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "tactus/base/diagnostic.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/runtime/emulator/bound_work.hpp"
#include "tactus/runtime/gpu/host_side.hpp"

namespace tactus::runtime {
namespace {

/// Between two looks whether a function on a core has ended: its thread rings no bell.
constexpr std::int64_t kLook = 200'000;

/// The work of one partition, in the order it was submitted.
class Lane {
 public:
  struct Work {
    OpId op = 0;
    const std::function<void(void*)>* function = nullptr;
    std::int64_t submitted = 0;
  };
  struct Done {
    Work work;
    std::int64_t start = 0, end = 0;
    std::string problem;
  };

  explicit Lane(host::Doorbell& bell) : bell_(bell), thread_([this] { serve(); }) {}
  ~Lane() {
    {
      const std::lock_guard guard(mutex_);
      stop_ = true;
    }
    come_.notify_one();
    thread_.join();
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void submit(const Work& work) {
    {
      const std::lock_guard guard(mutex_);
      queue_.push_back(work);
      ++flying_;
    }
    come_.notify_one();
  }
  bool idle() {
    const std::lock_guard guard(mutex_);
    return flying_ == 0;
  }
  std::vector<Done> take() {
    const std::lock_guard guard(mutex_);
    flying_ -= done_.size();
    return std::exchange(done_, {});
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      come_.wait(lock, [&] { return stop_ || !queue_.empty(); });
      if (stop_) return;
      Done done{queue_.front(), host::now_ns(), 0, {}};
      queue_.pop_front();
      lock.unlock();
      try {
        (*done.work.function)(nullptr);
      } catch (const std::exception& problem) {
        done.problem = problem.what();
      } catch (...) {
        done.problem = "a function of the user threw something that is not an exception";
      }
      done.end = host::now_ns();
      lock.lock();
      done_.push_back(std::move(done));
      bell_.ring();
    }
  }

  host::Doorbell& bell_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::deque<Work> queue_;
  std::vector<Done> done_;
  std::size_t flying_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

class CpuDevice final : public Device {
 public:
  CpuDevice(const System& system, const BackendOptions& options, Capabilities capabilities)
      : system_(system),
        bound_(system_, options.workload),
        capabilities_(std::move(capabilities)),
        widths_{capabilities_.sms},
        bell_(options.doorbell != nullptr ? *options.doorbell : own_bell_) {}

  const Capabilities& capabilities() const override { return capabilities_; }

  Result<std::vector<Partition>> partition(std::span<const std::int64_t> sms) override {
    std::vector<Partition> made;
    std::int64_t left = capabilities_.sms;
    for (const std::int64_t asked : sms) {
      if (asked < 1 || asked > left) {
        return Error{fmt::format("partitions of {} SMs do not fit the {} of the file",
                                 fmt::join(sms, ", "), capabilities_.sms)};
      }
      left -= asked;
      made.push_back({static_cast<PartitionId>(widths_.size()), asked, asked});
      widths_.push_back(asked);
    }
    return made;
  }

  Result<GraphId> prepare(std::span<const GraphNode>, Chaining) override { return no_kernels(); }
  std::optional<Error> launch(GraphId, OpId) override { return no_kernels(); }
  std::optional<Error> launch(const Kernel& kernel, OpId) override {
    return nothing_bound(kernel.task, kernel.node, "no function");
  }

  bool runs_graph(TaskIndex task, NodeIndex node) const override {
    return bound_.graph(task, node) != nullptr;
  }
  bool has_callback(TaskIndex task, NodeIndex node, Phase phase) const override {
    return bound_.function(task, node, phase) != nullptr;
  }
  Result<std::string> prepare(const Replay& replay) override {
    if (replay.partition >= widths_.size()) {
      return Error{fmt::format("there is no partition {}", replay.partition)};
    }
    const UserGraph* graph = bound_.graph(replay.task, replay.node);
    if (graph == nullptr || !graph->enqueue) {
      return Error{"a computer without a GPU can only call a function (not run a CUDA graph)"};
    }
    auto& lane = lanes_[replay.partition];
    if (lane == nullptr) lane = std::make_unique<Lane>(bell_);
    return std::string("called on a thread, not on a GPU");
  }

  std::optional<Error> start() override {
    host_.start(false);
    origin_ = host::now_ns();
    return std::nullopt;
  }
  Time now() const override { return Time::from_ns(host::now_ns() - origin_); }

  std::optional<Error> launch(const Replay& replay, OpId op) override {
    const auto lane = lanes_.find(replay.partition);
    if (lane == lanes_.end()) {
      return Error{fmt::format("nothing is prepared in partition {}", replay.partition)};
    }
    partition_of_[op] = replay.partition;
    const UserGraph& graph = *bound_.graph(replay.task, replay.node);
    lane->second->submit({op, &graph.enqueue, host::now_ns()});
    return std::nullopt;
  }
  std::optional<Error> run(const CpuWork& work, OpId op) override {
    return host_.submit(work, op, bound_.function(work.task, work.node, work.phase));
  }
  std::optional<Error> copy(const Copy& copy, OpId op) override {
    const UserCopy* own = bound_.copy(copy.task, copy.node);
    if (own == nullptr) return nothing_bound(copy.task, copy.node, "no copy");
    Completion& completion = copied_.emplace_back();
    completion.op = op;
    completion.submitted = completion.start = now();
    std::memcpy(own->to, own->from, own->bytes);
    completion.end = now();
    return std::nullopt;
  }

  Result<std::vector<Completion>> wait(std::optional<Time> until) override {
    for (;;) {
      bool rung = bell_.rung();
      if (&bell_ == &own_bell_) {  // else the run listens
        bell_.hear();
        rung = false;
      }
      std::vector<Completion> done = std::exchange(copied_, {});
      const bool idle = collect(done);
      const std::int64_t now = host::now_ns();
      if (!done.empty() || rung || (until && now - origin_ >= until->ns())) return done;
      if (idle && !until) return done;
      std::int64_t next = until ? origin_ + until->ns() : INT64_MAX;
      if (!host_.idle()) next = std::min(next, now + kLook);
      bell_.sleep_until_ns(next);
    }
  }

 private:
  static Error no_kernels() { return Error{"a computer without a GPU has no kernels"}; }
  Error nothing_bound(TaskIndex task, NodeIndex node, std::string_view what) const {
    return Error{fmt::format("{} is bound to {} of task {}, and this backend has no synthetic work",
                             what, quote(system_.tasks.at(task).nodes.at(node).name),
                             quote(system_.tasks.at(task).name))};
  }

  /// Whether nothing is in flight any more.
  bool collect(std::vector<Completion>& done) {
    host_.collect(origin_, done);
    bool idle = host_.idle();
    const auto on_clock = [&](std::int64_t ns) { return Time::from_ns(ns - origin_); };
    for (auto& [partition, lane] : lanes_) {
      for (Lane::Done& ended : lane->take()) {
        Completion& completion = done.emplace_back();
        completion.op = ended.work.op;
        completion.submitted = on_clock(ended.work.submitted);
        completion.start = on_clock(ended.start);
        completion.end = on_clock(ended.end);
        completion.failed = !ended.problem.empty();
        completion.problem = std::move(ended.problem);
        KernelSeen& seen = completion.kernels.emplace_back();
        seen.start = completion.start;
        seen.end = completion.end;
        seen.pieces = seen.pieces_done = 1;
        seen.partition_width = widths_[partition_of_.extract(completion.op).mapped()];
      }
      idle = idle && lane->idle();
    }
    std::stable_sort(done.begin(), done.end(),
                     [](const Completion& a, const Completion& b) { return a.end < b.end; });
    return idle && done.empty();
  }

  System system_;
  BoundWork bound_;
  Capabilities capabilities_;
  std::vector<std::int64_t> widths_;  ///< SMs of each partition, by id
  host::Doorbell own_bell_;
  host::Doorbell& bell_;
  gpu::HostSide host_;
  std::map<PartitionId, std::unique_ptr<Lane>> lanes_;
  std::map<OpId, PartitionId> partition_of_;
  std::vector<Completion> copied_;
  std::int64_t origin_ = 0;
};

}  // namespace

Result<std::unique_ptr<Device>> open_cpu_device(const System& system,
                                                const BackendOptions& options) {
  Capabilities machine;
  machine.name = "this computer, without a GPU";
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kGpu) machine.sms = std::max(machine.sms, element.units);
  }
  machine.priorities = 6;
  machine.cores = gpu::HostSide::cores();
  return std::unique_ptr<Device>(std::make_unique<CpuDevice>(system, options, std::move(machine)));
}

}  // namespace tactus::runtime
