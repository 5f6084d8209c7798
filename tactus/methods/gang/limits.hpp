#pragma once

#include "tactus/methods/method.hpp"

/// Where an input is too large for this family; see `LimitReached`.
namespace tactus::gang {

using tactus::LimitReached;

inline void throw_if_stopped(const std::stop_token& stop) { Stopped::check(stop); }

/// Most nodes of a DAG, blocks of one kernel counted once: beyond that the order of the nodes
/// (20,000 squared / 4 bytes) no longer fits a small machine.
inline constexpr std::size_t kMaxNodes = 20'000;

/// Most bits of all totals of one element together (512 MiB).
inline constexpr std::size_t kMaxTotalBits = std::size_t{1} << 32;

}  // namespace tactus::gang
