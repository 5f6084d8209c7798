#include "tactus/runtime/gpu/fits.hpp"

#include <algorithm>
#include <cmath>

namespace tactus::runtime::gpu {

Line fit_line(const std::vector<std::pair<double, double>>& points) {
  double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
  for (const auto& [x, y] : points) {
    const double weight = 1 / (y * y);
    s += weight;
    sx += weight * x;
    sxx += weight * x * x;
    sy += weight * y;
    sxy += weight * x * y;
  }
  Line line;
  const double determinant = s * sxx - sx * sx;
  if (determinant > 0) {
    line.slope = (s * sxy - sx * sy) / determinant;
    line.fixed = (sy - line.slope * sx) / s;
  }
  for (const auto& [x, y] : points) {
    line.worst_error = std::max(line.worst_error, std::abs(line.fixed + line.slope * x - y) / y);
  }
  return line;
}

ScalingFit fit_scaling(const std::vector<std::pair<std::int64_t, double>>& times) {
  ScalingFit fit;
  // rtgpu: a line in 1/m, whose value at m = 1 is the work.
  std::vector<std::pair<double, double>> inverse;
  inverse.reserve(times.size());
  for (const auto& [m, time] : times) inverse.emplace_back(1 / static_cast<double>(m), time);
  const Line line = fit_line(inverse);
  fit.overhead = std::max(line.fixed, 0.0);
  fit.work = line.fixed + line.slope;
  fit.rtgpu_error = line.worst_error;
  // dag: the load is the smallest that no measured time exceeds where load / m applies, so that the
  // model never promises too much; t_min is the time at the largest m.
  fit.t_min = times.front().second;
  for (const auto& [m, time] : times) fit.t_min = std::min(fit.t_min, time);
  for (const auto& [m, time] : times) {
    if (time > 2 * fit.t_min) fit.load = std::max(fit.load, time * static_cast<double>(m));
  }
  if (fit.load == 0) fit.load = fit.work;
  for (const auto& [m, time] : times) {
    const double model = std::max(fit.t_min, fit.load / static_cast<double>(m));
    fit.dag_error = std::max(fit.dag_error, std::abs(model - time) / time);
  }
  return fit;
}

double switch_cost(double e_nu, double e_1, int nu, double slice) {
  const double alone = nu * e_1;
  return (e_nu - alone) / alone * slice;
}

}  // namespace tactus::runtime::gpu
