#include "tactus/runtime/arbiter/gpu/gpu_work.hpp"

namespace tactus::arbiter {

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
  std::uint64_t sum = 0;
  // The start of a thread is its item times the threads, plus its place: all numbers in a row.
  const std::uint64_t starts = std::uint64_t{items} * threads;
  for (std::uint64_t start = 0; start < starts; ++start)
    sum += static_cast<std::uint32_t>(total_a * static_cast<std::uint32_t>(start) + total_c);
  return sum;
}

}  // namespace tactus::arbiter
