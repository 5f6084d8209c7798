#pragma once

#include "tactus/model/system.hpp"

namespace tactus {

/// The gpu element, where there is one; of several the first.
inline const Element* gpu_of(const System& system) {
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kGpu) return &element;
  }
  return nullptr;
}

}  // namespace tactus
