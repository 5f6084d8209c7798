#pragma once

#include <span>
#include <vector>

#include "tactus/methods/gcaps/boost/arrangement.hpp"
#include "tactus/methods/gcaps/boost/bounds.hpp"

namespace tactus::gcaps::boost {

/// An arrangement, and whether it proves every deadline.
struct Choice {
  Arrangement arrangement;
  bool passes = false;
  bool own_order = false;  ///< the GPU order was searched; it is not the file's
};

/// Which thresholds are tried, in this order: from "nothing is waited for that can be avoided" to
/// "never taken off".
std::span<const Share> all_shares();

/// Thresholds for the GPU order of the file: those of the file, or the first that pass.
Choice choose_thresholds(const View& view, Bounds& bounds, std::span<const Share> shares);

/// The same; where none pass, also other GPU orders. Nothing passes: the choice for the order of the
/// file.
Choice choose_order(const View& view, Bounds& bounds, std::span<const Share> shares);

}  // namespace tactus::gcaps::boost
