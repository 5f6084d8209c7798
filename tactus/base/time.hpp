#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>

namespace tactus {

/// Thrown when a time does not fit 64 bits. It never leaves the library: `tactus::analyze` turns it
/// into the status "undecided".
class OverflowError : public std::overflow_error {
 public:
  OverflowError() : std::overflow_error("a time exceeds the range of 64-bit nanoseconds") {}
};

namespace checked {

/// Out of line and cold, so that the arithmetic below stays a few instructions.
[[noreturn]] void throw_overflow();

constexpr std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw_overflow();
  return sum;
}
constexpr std::int64_t sub(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) throw_overflow();
  return difference;
}
constexpr std::int64_t mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw_overflow();
  return product;
}

}  // namespace checked

/// A duration or an instant in whole nanoseconds.
///
/// Why a type: nanoseconds cannot be mixed with counts, every operation is checked (an overflow is
/// an error, never a wrap-around), and there is no division that does not say how it rounds.
///
///     Time window = Time::from_ms(10);
///     std::int64_t jobs = ceil_div(window + jitter, period);
///     Time demand = jobs * wcet;
class Time {
 public:
  constexpr Time() = default;
  static constexpr Time from_ns(std::int64_t ns) { return Time(ns); }
  static constexpr Time from_us(std::int64_t us) { return Time(checked::mul(us, 1'000)); }
  static constexpr Time from_ms(std::int64_t ms) { return Time(checked::mul(ms, 1'000'000)); }
  static constexpr Time max() { return Time(INT64_MAX); }

  constexpr std::int64_t ns() const { return ns_; }

  friend constexpr auto operator<=>(Time, Time) = default;  // NOLINT(modernize-use-nullptr)
  friend constexpr Time operator+(Time a, Time b) { return Time(checked::add(a.ns_, b.ns_)); }
  friend constexpr Time operator-(Time a, Time b) { return Time(checked::sub(a.ns_, b.ns_)); }
  friend constexpr Time operator*(std::int64_t n, Time t) { return Time(checked::mul(n, t.ns_)); }
  friend constexpr Time operator*(Time t, std::int64_t n) { return n * t; }
  constexpr Time& operator+=(Time other) { return *this = *this + other; }
  constexpr Time& operator-=(Time other) { return *this = *this - other; }

 private:
  constexpr explicit Time(std::int64_t ns) : ns_(ns) {}
  std::int64_t ns_ = 0;
};

/// How many whole `step`s cover `t`. Pre: t >= 0, step > 0.
constexpr std::int64_t ceil_div(Time t, Time step) {
  return t.ns() / step.ns() + (t.ns() % step.ns() != 0 ? 1 : 0);
}

/// `t * numerator / denominator` rounded up, with a 128-bit product. Pre: all >= 0, denominator >
/// 0.
constexpr Time mul_div_up(Time t, std::int64_t numerator, std::int64_t denominator) {
  const __int128 product = static_cast<__int128>(t.ns()) * numerator;
  const __int128 quotient = (product + denominator - 1) / denominator;
  if (quotient > INT64_MAX) checked::throw_overflow();
  return Time::from_ns(static_cast<std::int64_t>(quotient));
}

/// `t / n` rounded up. Pre: t >= 0, n > 0.
constexpr Time div_up(Time t, std::int64_t n) { return mul_div_up(t, 1, n); }

/// `t`, or zero if `t` is negative: every analysis clamps every jitter in this way.
constexpr Time clamp_at_zero(Time t) { return t < Time() ? Time() : t; }

}  // namespace tactus
