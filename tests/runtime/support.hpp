#pragma once

#include <string>
#include <string_view>

#include "tactus/methods/method.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/executors/run_plan.hpp"
#include "tactus/trace/trace.hpp"

namespace tactus::runtime {

/// A run on the emulator, as `tactus run` does it.
struct RunSetup {
  std::string_view method;
  std::string_view scenario = "offsets,worst";
  std::uint32_t jobs = 1;
  Strategy strategy = Strategy::kPlanned;
  std::string_view variant = kSafe;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> sms = {};
  std::int64_t partition_step = 1;
  bool strict = false;
  const Workload* workload = nullptr;
  bool best_effort_shares = false;
};

struct Ran {
  Verdict verdict;
  std::optional<trace::Observed> report;
  std::string error;  ///< where there is no report
  trace::Trace trace;
};

/// Makes the plan and runs it. Without a plan there is neither a report nor an error.
Ran ran(const System& system, const RunSetup& setup);

/// A system of the recipe behind a method.
System drawn(std::string_view method, std::uint64_t seed);

/// Passes everything on; a test overrides what it wants different.
class WrappedDevice : public Device {
 public:
  explicit WrappedDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}
  const Capabilities& capabilities() const override { return device_->capabilities(); }
  Result<std::vector<Partition>> partition(std::span<const std::int64_t> sms) override {
    return device_->partition(sms);
  }
  Result<GraphId> prepare(std::span<const GraphNode> nodes, Chaining chaining) override {
    return device_->prepare(nodes, chaining);
  }
  bool runs_graph(TaskIndex task, NodeIndex node) const override {
    return device_->runs_graph(task, node);
  }
  bool has_callback(TaskIndex task, NodeIndex node, Phase phase) const override {
    return device_->has_callback(task, node, phase);
  }
  Result<std::string> prepare(const Replay& replay) override { return device_->prepare(replay); }
  std::optional<Error> start() override { return device_->start(); }
  Time now() const override { return device_->now(); }
  std::optional<Error> launch(const Kernel& kernel, OpId op) override {
    return device_->launch(kernel, op);
  }
  std::optional<Error> launch(GraphId graph, OpId op) override {
    return device_->launch(graph, op);
  }
  std::optional<Error> launch(const Replay& replay, OpId op) override {
    return device_->launch(replay, op);
  }
  std::optional<Error> run(const CpuWork& work, OpId op) override { return device_->run(work, op); }
  std::optional<Error> copy(const Copy& copy, OpId op) override { return device_->copy(copy, op); }
  Result<std::vector<Completion>> wait(std::optional<Time> until) override {
    return device_->wait(until);
  }

 private:
  std::unique_ptr<Device> device_;
};

/// The simulator and the run saw the same jobs, as far as both went.
void expect_same_responses(const trace::Observed& run, const trace::Observed& simulated,
                           const std::string& what);

/// What every run of a plan must show, however long its pieces take.
void expect_sound(const System& system, const Ran& ran, const std::string& what);

}  // namespace tactus::runtime
