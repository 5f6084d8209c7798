#pragma once

#include <cmath>

/// exp and log from additions, multiplications and divisions only. Those of the C library differ in
/// the last bit between versions and processors; generated systems must not.
namespace tactus {

/// @pre x is finite and positive. Relative error below 1e-14 (absolute near log 1 = 0).
inline double portable_log(double x) {
  constexpr double kLn2 = 0.693147180559945309417;
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), square = s * s;  // log m = 2 atanh s, |s| < 0.172
  double series = 0;
  for (int k = 23; k >= 1; k -= 2) series = series * square + 1.0 / k;
  return 2 * s * series + exponent * kLn2;
}

/// @pre x is not NaN. The result is 0 below -700, and above 700 that of 700.
inline double portable_exp(double x) {
  constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  if (x < -700) return 0;
  if (x > 700) x = 700;
  const double k = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;  // |r| < 0.35
  double series = 1;
  for (int n = 16; n >= 1; --n) series = 1 + series * r / n;
  return std::ldexp(series, static_cast<int>(k));  // exact
}

}  // namespace tactus
