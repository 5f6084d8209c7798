#pragma once

#include <cstdint>

namespace tactus {

/// Random numbers that depend on nothing but (seed, index): the index-th system of a recipe is the
/// same on every platform, for any number of threads and any subset of systems. The standard
/// library's distributions are not used, because they differ between implementations.
///
/// SplitMix64 over a counter, keyed by a hash of seed and index.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t index) : state_(mix(mix(seed) ^ (index + kGolden))) {}

  std::uint64_t next() { return mix(state_ += kGolden); }

  /// Uniform in [low, high], without bias. @pre low <= high.
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    if (span == UINT64_MAX) return static_cast<std::int64_t>(next());
    // The high half of a 128-bit product; the rejected values are those that would be unfair.
    const std::uint64_t count = span + 1;
    for (;;) {
      const unsigned __int128 product = static_cast<unsigned __int128>(next()) * count;
      if (static_cast<std::uint64_t>(product) >= (0 - count) % count) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) +
                                         static_cast<std::uint64_t>(product >> 64));
      }
    }
  }

  /// Uniform in [0, 1), with 53 bits.
  double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Uniform in [low, high).
  double real(double low, double high) { return low + (high - low) * real(); }
  bool chance(double probability) { return real() < probability; }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace tactus
