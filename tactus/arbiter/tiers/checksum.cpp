#include "tactus/arbiter/tiers/gpu_work.hpp"

namespace tactus::arbiter::tiers {
namespace {

using Wide = unsigned __int128;

/// The sum of floor((a i + b) / m) for i = 0 .. n-1, by Euclid's algorithm. Pre: all fit 64 bits.
Wide floor_sum(Wide n, Wide m, Wide a, Wide b) {
  Wide sum = 0;
  for (;;) {
    sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
    a %= m;
    b %= m;
    const Wide last = a * n + b;
    if (last < m) return sum;
    n = last / m;
    b = last % m;
    const Wide old = m;
    m = a;
    a = old;
  }
}

}  // namespace

std::uint64_t expected_checksum(std::uint32_t items, unsigned threads, unsigned rounds) {
  // `rounds` steps x -> a x + c are one step x -> A x + C, found by repeated squaring.
  std::uint32_t total_a = 1, total_c = 0, step_a = 1664525, step_c = 1013904223;
  for (unsigned left = rounds; left != 0; left >>= 1) {
    if ((left & 1) != 0) {
      total_a = step_a * total_a;
      total_c = step_a * total_c + step_c;
    }
    step_c = step_a * step_c + step_c;
    step_a = step_a * step_a;
  }
  // A thread starts from its item times the threads, plus its place: all numbers in a row. So this
  // is the sum of (A s + C) mod 2^32 over s = 0 .. n-1.
  const Wide n = Wide{items} * threads;
  if (n == 0) return 0;
  constexpr Wide kModulus = Wide{1} << 32;
  const Wide all = n * (n - 1) / 2 * total_a + n * total_c;
  return static_cast<std::uint64_t>(all - kModulus * floor_sum(n, kModulus, total_a, total_c));
}

}  // namespace tactus::arbiter::tiers
