#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tactus/arbiter/preload/driver.hpp"

/// What a machine says of itself in /proc and /sys, and its driver through nvidia-smi.
namespace tactus::deploy {

/// One GPU, as nvidia-smi describes it; empty texts where it does not say.
struct GpuState {
  std::string name, persistence, mig, clock_mhz, max_clock_mhz;
};

struct Machine {
  arbiter::preload::Driver driver;
  std::vector<GpuState> gpus;
  bool gpus_known = false;  ///< nvidia-smi answered
  bool mps = false;         ///< the daemon of MPS runs
  bool preload_there = false, freezer = false;

  std::optional<bool> may_be_real_time, may_lock_memory;
  std::string locked_memory;  ///< the limit, for people
  std::optional<std::int64_t> rt_runtime_us, rt_period_us;
  std::set<int> online, isolated;
  bool cpus_known = false;
  std::map<int, std::string> governors;  ///< by CPU; empty: none is visible
};

/// @param root a folder that stands for /, so that a copy of another machine's files can be judged;
///        there the answer of nvidia-smi is in the file nvidia-smi.csv, and the library that the
///        tier channel needs is libtactus_preload.so
Machine look_at_machine(const std::string& root = "/");

/// "0-3,7" as numbers; nothing where it is not such a list.
std::optional<std::set<int>> cpu_list(std::string_view text);

/// What nvidia-smi is asked for, in the order of `GpuState`.
inline constexpr const char* kGpuQuestion =
    "name,persistence_mode,mig.mode.current,clocks.sm,clocks.max.sm";

}  // namespace tactus::deploy
