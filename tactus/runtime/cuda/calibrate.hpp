#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

#include "tactus/base/result.hpp"
#include "tactus/runtime/gpu/calibration.hpp"

namespace tactus::runtime::cuda {

struct CalibrateOptions {
  int device = 0;
  int repeats = 20;
  bool switches = true;  ///< start helper processes and measure how the driver takes turns
  std::stop_token stop;
  std::function<void(std::string_view)> progress;
};

/// Measures on an idle GPU; some seconds.
Result<gpu::Calibration> calibrate(const CalibrateOptions& options);

/// The other side of the measurement between processes: runs as a child of `calibrate`, told on
/// standard input what to do. Returns the exit code.
int serve_calibration(int device);

}  // namespace tactus::runtime::cuda
