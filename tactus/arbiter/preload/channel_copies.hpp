#pragma once

#include <string.h>

namespace tactus::arbiter::preload {

/// The tier `channel` takes copies off, too, unless this says "no".
inline constexpr const char kChannelCopiesVariable[] = "TACTUS_CHANNEL_COPIES";

/// @param text of the variable; null where there is none
inline bool takes_copies_off(const char* text) {
  return text == nullptr || strcmp(text, "no") != 0;
}

}  // namespace tactus::arbiter::preload
