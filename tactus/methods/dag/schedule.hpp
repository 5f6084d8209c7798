#pragma once

#include <span>
#include <vector>

#include "tactus/methods/dag/kernel_graph.hpp"

namespace tactus::dag {

/// A launch: one segment of a node on `m` SMs; or a copy, in a step of its own and on none.
struct Kernel {
  NodeIndex node = 0;
  std::uint32_t segment = 1;  ///< from 1; the segments of a node run one after another
  Time load;
  std::int64_t m = 1;
  Time c;  ///< its time (Eq. 1), with all waves where m exceeds the SMs

  bool is_copy() const { return m == 0; }
};

/// A group as it is run: the kernels it was made of, then those launched onto its spare SMs.
struct Step {
  Time r;                                          ///< every kernel of the step ends within r
  std::uint32_t begin = 0, launched = 0, end = 0;  ///< in `Schedule::kernels`
  std::int64_t spare = 0;  ///< SMs left over; negative where the printed method takes too many
};

/// The steps one after another.
struct Schedule {
  std::vector<Kernel> kernels;  ///< in order of the steps
  std::vector<Step> steps;
  Time bound;  ///< sum of r

  std::span<const Kernel> all(const Step& step) const { return range(step.begin, step.end); }
  std::span<const Kernel> primary(const Step& step) const {
    return range(step.begin, step.launched);
  }
  std::span<const Kernel> launched(const Step& step) const {
    return range(step.launched, step.end);
  }

 private:
  std::span<const Kernel> range(std::uint32_t begin, std::uint32_t end) const {
    return {kernels.data() + begin, kernels.data() + end};
  }
};

}  // namespace tactus::dag
