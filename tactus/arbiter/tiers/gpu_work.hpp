#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tactus/arbiter/client/gate.hpp"
#include "tactus/base/time.hpp"
#include "tactus/host/cuda_driver.hpp"

namespace tactus::arbiter::tiers {

using client::Waiting;  // here: how the CPU waits for the GPU
using host::driver_api, host::driver_error, host::DriverApi, host::kNotReady;

/// Work that fills one GPU for as long as wanted: `start` some items, `wait` for them. An item is
/// what one block does without a break; `items_for` says how many take a given time on an idle GPU.
/// The results can be checked: see `work_kernel.ptx.hpp`.
///
///     auto work = GpuWork::open(0, Waiting::kSuspend);
///     (*work)->calibrate(Time::from_us(20));
///     (*work)->start((*work)->items_for(Time::from_ms(10)));
///     (*work)->wait();
class GpuWork {
 public:
  static Result<std::unique_ptr<GpuWork>> open(int device, Waiting waiting);
  ~GpuWork();
  GpuWork(const GpuWork&) = delete;
  GpuWork& operator=(const GpuWork&) = delete;

  /// For a thread other than the one that opened it, before its first call here.
  std::optional<Error> use_in_this_thread();

  const std::string& device_name() const { return name_; }
  unsigned blocks() const { return blocks_; }

  /// Chooses the length of an item. Needs the GPU to itself for some 100 ms.
  std::optional<Error> calibrate(Time item);
  /// Or takes over what another process found.
  void set_shape(unsigned rounds, Time item) { rounds_ = rounds, item_ = item; }
  unsigned rounds() const { return rounds_; }
  /// One item of every block, side by side.
  Time item() const { return item_; }
  /// Rounded down: never more work than asked for. At least one item for each block.
  std::uint32_t items_for(Time length) const;

  /// Launches `items` items and returns. One at a time. While yielding, the launch ends at once.
  std::optional<Error> start(std::uint32_t items, bool report_progress = false);
  /// Goes on with what `start` began and `yield` cut short.
  std::optional<Error> resume();
  /// Until the launch has ended: because all is done, or because it yielded.
  std::optional<Error> wait();
  bool running() const;
  /// The stream in which it launches.
  DriverApi::Stream stream() const { return work_stream_; }
  /// Has the GPU done all that was launched? From any thread.
  bool idle();

  /// Asks the blocks to leave after their present item, and later launches to do nothing; or ends
  /// that. Returns when the GPU has the new value. From any thread that has the context.
  std::optional<Error> set_yield(bool yield);
  /// After `wait`: is every item done?
  Result<bool> finished();
  /// Was every item done exactly once, and correctly?
  Result<bool> correct();

  /// Changes while the GPU draws items (`report_progress`).
  std::uint32_t progress() const;

 private:
  explicit GpuWork(const DriverApi& api) : api_(api) {}
  std::optional<Error> prepare(int device, Waiting waiting);
  std::optional<Error> launch();
  std::optional<Error> fail(const char* what, DriverApi::Code code) const {
    return driver_error(api_, what, code);
  }

  const DriverApi& api_;
  int device_ = -1;
  std::string name_;
  unsigned blocks_ = 1, rounds_ = 1;
  Time item_;
  DriverApi::Context context_ = nullptr;
  DriverApi::Function function_ = nullptr;
  DriverApi::Stream work_stream_ = nullptr, urgent_stream_ = nullptr;
  DriverApi::Address state_ = 0;
  /// Mapped host memory: the progress word, then words to copy from and to without staging.
  volatile std::uint32_t* host_ = nullptr;
  std::uint32_t items_ = 0;
  bool report_progress_ = false;
};

/// The sum that items 0 .. `items`-1 of `threads` threads leave after `rounds` steps each.
std::uint64_t expected_checksum(std::uint32_t items, unsigned threads, unsigned rounds);

}  // namespace tactus::arbiter::tiers
