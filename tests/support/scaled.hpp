#pragma once

#include <cstdlib>
#include <string_view>

namespace tactus::support {

/// How many random systems a test tries: `usual`, `factor` times as many with TACTUS_FULL=1.
template <typename Count>
Count scaled(Count usual, int factor = 10) {
  const char* full = std::getenv("TACTUS_FULL");
  const bool all = full != nullptr && std::string_view(full) == "1";
  return all ? static_cast<Count>(factor) * usual : usual;
}

}  // namespace tactus::support
