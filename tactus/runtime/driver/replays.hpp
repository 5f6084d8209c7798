#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "tactus/runtime/device.hpp"
#include "tactus/runtime/driver/prepared_graph.hpp"
#include "tactus/runtime/gpu/gpu_clock.hpp"

namespace tactus::runtime::driver {

/// The graphs of the user on a machine: each prepared once per partition, and run again and again.
/// Times of this interface are CLOCK_MONOTONIC, ns. A call that fails means a lost device.
class Replays {
 public:
  Replays(const Driver& driver, gpu::GpuClock& clock) : driver_(driver), clock_(clock) {}

  /// @param sms  hardware ids of the partition's SMs, where they are known
  Result<std::string> prepare(const Replay& replay, const UserGraph& source,
                              const SmPartition& partition, std::vector<std::int32_t> sms);
  std::optional<Error> launch(const Replay& replay, OpId op);
  bool idle() const { return in_flight_.empty(); }
  /// Adds what has ended, on a clock that starts at `origin`.
  void collect(std::int64_t origin, std::vector<Completion>& done);
  /// What went wrong with one that is in flight.
  std::optional<Error> fault(std::int64_t now) const;

  /// Asks the device for the time by marks of its own, for the clock.
  std::optional<Error> measure_clock(const SmPartition& whole);

 private:
  struct Ready {
    std::unique_ptr<PreparedGraph> graph;
    std::vector<std::int32_t> sms;
    bool running = false;
  };
  struct InFlight {
    OpId op = 0;
    Ready* ready = nullptr;
    std::int64_t before = 0, submitted = 0, expected_ns = 0;
  };
  using Key = std::tuple<TaskIndex, NodeIndex, PartitionId>;

  Result<Kernel> mark_kernel();
  Completion complete(const InFlight& flight, std::int64_t origin, std::int64_t seen);

  Driver driver_;
  gpu::GpuClock& clock_;
  Kernel mark_ = nullptr;
  std::map<Key, Ready> ready_;
  std::vector<InFlight> in_flight_;
};

}  // namespace tactus::runtime::driver
