#pragma once

#include <algorithm>

#include "tactus/model/system.hpp"

namespace tactus {

/// The gpu element, where there is one; of several the first.
inline const Element* gpu_of(const System& system) {
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kGpu) return &element;
  }
  return nullptr;
}

/// Does the task have work that an arbiter of the GPU must know of? Kernels and copies.
inline bool uses_gpu(const System& system, const Task& task) {
  return std::any_of(task.nodes.begin(), task.nodes.end(), [&](const Node& node) {
    return system.platform.elements[node.on].kind != ElementKind::kCpu;
  });
}

}  // namespace tactus
