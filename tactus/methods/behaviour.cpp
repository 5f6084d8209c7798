#include "tactus/methods/behaviour.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"

namespace tactus {

std::string why_no(std::string_view part, const Behaviour& behaviour) {
  if (!behaviour.name.empty()) {
    return fmt::format("{} for the behaviour {} is missing", part, quote(behaviour.name));
  }
  if (!behaviour.why_none.empty()) return std::string(behaviour.why_none);
  return "how its jobs behave at run time is not described";
}

}  // namespace tactus
