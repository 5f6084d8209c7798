#pragma once

#include <gmpxx.h>

#include "tactus/base/time.hpp"

/// Exact numbers. Bounds are sums of fractions with different denominators; rounding each one up
/// would reject a DAG whose bound equals its deadline.
namespace tactus::gang {

/// A rational number, times in nanoseconds.
using Fraction = mpq_class;

/// Processor-nanoseconds, m_i * C_i and sums of them. Checked like `Time`.
using Volume = __int128;

inline Volume add(Volume a, Volume b) {
  Volume sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) checked::throw_overflow();
  return sum;
}
inline Volume multiply(Volume a, Volume b) {
  Volume product = 0;
  if (__builtin_mul_overflow(a, b, &product)) checked::throw_overflow();
  return product;
}

inline mpz_class to_integer(Volume volume) {
  const bool negative = volume < 0;
  const auto magnitude =
      negative ? -static_cast<unsigned __int128>(volume) : static_cast<unsigned __int128>(volume);
  mpz_class value(static_cast<unsigned long>(magnitude >> 64));
  value <<= 64;
  value += static_cast<unsigned long>(magnitude);
  if (negative) value = -value;
  return value;
}

inline Fraction to_fraction(Time time) { return Fraction(static_cast<long>(time.ns())); }

/// volume / processors, in lowest terms. @pre processors > 0.
inline Fraction quotient(Volume volume, Volume processors) {
  Fraction value(to_integer(volume), to_integer(processors));
  value.canonicalize();
  return value;
}

/// The next whole nanosecond.
inline Time round_up(const Fraction& value) {
  mpz_class ceiling;
  mpz_cdiv_q(ceiling.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  if (!ceiling.fits_slong_p()) checked::throw_overflow();
  return Time::from_ns(ceiling.get_si());
}

}  // namespace tactus::gang
