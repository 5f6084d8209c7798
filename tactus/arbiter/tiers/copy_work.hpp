#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>

#include "tactus/arbiter/tiers/gpu_work.hpp"

namespace tactus::arbiter::tiers {

/// Copies to the GPU and back, again and again, every byte of which is compared: beside the work that
/// fills the GPU, in the same context, on a thread of their own.
class CopyWork {
 public:
  explicit CopyWork(GpuWork& work) : work_(work) {}
  ~CopyWork() { finish(); }
  CopyWork(const CopyWork&) = delete;
  CopyWork& operator=(const CopyWork&) = delete;

  /// Needs the GPU: not while the process is off it.
  std::optional<Error> start(std::size_t bytes);
  /// Is a copy under way?
  bool copying() const { return copying_; }
  /// Changes while copies are made; one to the host is seen where it has got to.
  std::int64_t progress() const;
  std::int64_t rounds() const { return rounds_; }
  std::int64_t wrong() const { return wrong_; }
  /// Ends after the round that is under way, unless that stays off. Was every byte right?
  bool finish();

 private:
  void run();
  bool copy_once(std::uint64_t round);
  std::optional<Error> prepare(std::size_t bytes);

  GpuWork& work_;
  const DriverApi* api_ = nullptr;
  std::size_t words_ = 0;
  DriverApi::Stream stream_ = nullptr;
  DriverApi::Address memory_ = 0;
  std::uint64_t *in_ = nullptr, *out_ = nullptr;
  std::thread thread_;
  std::atomic<bool> end_ = false, copying_ = false, failed_ = false;
  std::atomic<std::int64_t> rounds_ = 0, wrong_ = 0;
};

}  // namespace tactus::arbiter::tiers
