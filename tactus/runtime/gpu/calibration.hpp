#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/base/statistics.hpp"
#include "tactus/runtime/gpu/fits.hpp"
#include "tactus/runtime/gpu/gpu_info.hpp"
#include "tactus/runtime/gpu/switches.hpp"

/// What `tactus gpu calibrate` finds out. Plain data; measured in tactus/runtime/cuda.
namespace tactus::runtime::gpu {

/// One kind of synthetic kernel.
struct KindTimes {
  std::string kind;
  std::vector<std::pair<std::int64_t, SampleStatistics>> grid;    ///< m fat blocks
  std::vector<std::pair<std::int64_t, SampleStatistics>> pinned;  ///< persistent blocks on m SMs
  ScalingFit grid_fit, pinned_fit;
  SampleStatistics shortest;             ///< one item per block, on all SMs
  SampleStatistics one_seat, two_seats;  ///< the same work, one and two blocks on each of 16 SMs
  double alpha = 0;                      ///< 2 * two_seats / one_seat
  std::int64_t lost = 0;                 ///< runs in which a block did not get its seat
};

struct CopyReport {
  std::vector<std::pair<double, double>> points;  ///< bytes, ns
  Line line;
};

/// Host time in ns.
struct LaunchCosts {
  SampleStatistics launch_and_wait;  ///< an empty kernel, launched and waited for
  SampleStatistics after_idle;       ///< the same by a polled word, 2 ms after anything else
  SampleStatistics launch_call;      ///< the call alone: what a CPU pays (G^m)
  SampleStatistics
      seen_by_word;  ///< from a kernel's end until the host knows it, by a word it polls
  SampleStatistics seen_by_query;    ///< the same, by asking the driver
  SampleStatistics chain_in_stream;  ///< 100 empty kernels, a launch each; per kernel
  SampleStatistics chain_in_graph;   ///< the same as a graph; per kernel
  SampleStatistics gap_in_graph;     ///< from one kernel's end to the next one's start
};

struct Calibration {
  GpuInfo gpu;
  std::string date;
  std::vector<KindTimes> kinds;
  CopyReport to_device, to_host;
  LaunchCosts launches;
  std::optional<SwitchReport> switches;
  std::string no_switches;  ///< why there is no report of them
};

/// All of it, for programs.
std::string calibration_json(const Calibration& calibration);

/// A system file without tasks: the platform as measured, and where the figures come from in its
/// note. Times are rounded up.
std::string platform_fragment(const Calibration& calibration, std::int64_t cpu_cores);

}  // namespace tactus::runtime::gpu
