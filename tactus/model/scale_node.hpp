#pragma once

#include <algorithm>

#include "tactus/model/system.hpp"

namespace tactus {

/// Scales everything that describes the time of a node; lower bounds stay, unless they must follow.
template <typename Scale>
void scale_node(Node& node, Scale scale) {
  if (node.wcet) node.wcet = scale(*node.wcet);
  if (node.load) node.load = scale(*node.load);
  node.overhead = scale(node.overhead);
  for (TimesEntry& entry : node.times) {
    entry.wcet = scale(entry.wcet);
    entry.bcet = std::min(entry.bcet, entry.wcet);
  }
  if (node.wcet) {
    node.bcet = std::min(node.bcet, *node.wcet);
    node.overlap = std::min(node.overlap, *node.wcet);
  }
  if (node.load) {
    node.load_min = std::min(node.load_min, *node.load);
    node.overhead = std::min(node.overhead, *node.load);
  }
}

}  // namespace tactus
