#pragma once

#include "tactus/methods/method.hpp"

namespace tactus {

/// A method with what people read of it; a family adds what it does.
constexpr Method described(std::string_view id, std::string_view title, std::string_view paper,
                           std::string_view assumes) {
  Method method;
  method.id = id;
  method.title = title;
  method.paper = paper;
  method.assumes = assumes;
  return method;
}

}  // namespace tactus
