#pragma once

#include <span>
#include <string_view>

#include "tactus/base/time.hpp"

namespace tactus::runtime {

/// What times that were measured say about longer ones that were not (measurement-based probabilistic
/// timing analysis): the largest of each block follow a Gumbel distribution where times are independent
/// and their tail is no heavier than an exponential one. Both are tested; a fit that fails a test says
/// nothing.
struct Tail {
  std::string_view doubt;   ///< why the fit is not trusted; empty: it is
  double mu = 0, beta = 0;  ///< of the largest of a block, ns
  std::size_t block = 1, blocks = 0;

  bool trusted() const { return doubt.empty(); }
  /// The time that one run exceeds with this probability, with 95 % confidence. @pre trusted()
  Time exceeded_with(double probability) const;
};

/// Fewer runs fit nothing: on an H200, fits of 200 that passed the tests claimed ten times too much
/// (bench/results/h200/sessions-2026-11-20.md).
inline constexpr std::size_t kFewestForTail = 1000;
/// From so many runs on it counts that a fit is not trusted.
inline constexpr std::size_t kFewestForDoubt = 100;

/// @param autocorrelation  of each with the next
Tail tail_of(std::span<const Time> samples, double autocorrelation);

}  // namespace tactus::runtime
