#pragma once

#include <cstdlib>

namespace tactus::gcaps::tests {

/// How many random systems to try: `count`, ten times as many with TACTUS_FULL=1.
inline int scaled(int count) {
  const char* full = std::getenv("TACTUS_FULL");
  return full != nullptr && full[0] == '1' ? 10 * count : count;
}

}  // namespace tactus::gcaps::tests
