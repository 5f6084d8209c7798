#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tactus/arbiter/urgency.hpp"

namespace tactus::arbiter {

/// Reads "best-effort", "best-effort:SHARE" or a priority, as variables of the environment have them.
/// False, with `urgency` unchanged, if it is none of them. (This is preloaded, too.)
inline bool read_urgency(const char* text, Urgency& urgency) {
  constexpr long kMost = 1'000'000;
  if (strcmp(text, "best-effort") == 0) {
    urgency = Urgency{};
    return true;
  }
  char* end = nullptr;
  errno = 0;
  if (strncmp(text, "best-effort:", 12) == 0) {
    const long share = strtol(text + 12, &end, 10);
    if (errno != 0 || *end != 0 || share < 1 || share > 100) return false;
    urgency = Urgency{true, 0, static_cast<std::int32_t>(share)};
    return true;
  }
  const long priority = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != 0 || priority < -kMost || priority > kMost) return false;
  urgency = Urgency::real_time(static_cast<std::int32_t>(priority));
  return true;
}

}  // namespace tactus::arbiter
