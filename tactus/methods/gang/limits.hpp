#pragma once

#include <stdexcept>
#include <stop_token>
#include <string>

namespace tactus::gang {

/// Thrown where an input is too large to be analysed in the memory or time a tool may take, or when
/// the caller asked to stop; the methods turn it into the status "undecided". The message says what
/// was too large.
class LimitReached : public std::runtime_error {
 public:
  explicit LimitReached(const std::string& what) : std::runtime_error(what) {}
};

inline void throw_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw LimitReached("the analysis was interrupted");
}

/// Most nodes of a DAG, blocks of one kernel counted once: beyond that the order of the nodes
/// (20,000 squared / 4 bytes) no longer fits a small machine.
inline constexpr std::size_t kMaxNodes = 20'000;

/// Most bits of all totals of one element together (512 MiB).
inline constexpr std::size_t kMaxTotalBits = std::size_t{1} << 32;

}  // namespace tactus::gang
