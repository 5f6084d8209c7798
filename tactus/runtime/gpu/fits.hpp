#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tactus::runtime::gpu {

/// y = fixed + slope * x by least squares on relative errors (each point weighs 1/y^2): times that
/// span three decades fit as well at the short end as at the long one.
struct Line {
  double fixed = 0, slope = 0;
  double worst_error = 0;  ///< the largest |predicted - y| / y
};
Line fit_line(const std::vector<std::pair<double, double>>& points);

/// How a kernel's time falls with the number m of SMs, by the two models of the analyses.
struct ScalingFit {
  double load = 0, t_min = 0;     ///< dag: max(t_min, load / m)
  double dag_error = 0;           ///< the worst relative error, of an m with load / m >= t_min
  double work = 0, overhead = 0;  ///< rtgpu: (work - overhead) / m + overhead
  double rtgpu_error = 0;
};
/// @pre (m, time) points with m >= 1, time > 0; at least two different m.
ScalingFit fit_scaling(const std::vector<std::pair<std::int64_t, double>>& times);

/// The cost of a context switch from the completion times of nu kernels run together
/// (theta = (E_nu - nu E_1) / (nu E_1) * L). Negative means that they did not take turns.
double switch_cost(double e_nu, double e_1, int nu, double slice);

}  // namespace tactus::runtime::gpu
