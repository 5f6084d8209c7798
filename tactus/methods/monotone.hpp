#pragma once

#include "tactus/methods/method.hpp"

namespace tactus {

/// The method, with what it claims about its order.
constexpr Method with_order(Method method, const Monotone& monotone) {
  method.monotone = monotone;
  return method;
}

}  // namespace tactus
