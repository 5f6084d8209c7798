#pragma once

#include <cstdint>

namespace tactus {

/// A place in a text file, 1-based; columns count code points. {0, 0} is "no place".
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  constexpr bool known() const { return line != 0; }
  /// All positions are equal: where a thing was written is not part of what it is, so that two
  /// systems compare equal when only their layout differs.
  friend constexpr bool operator==(Position, Position) { return true; }
};

}  // namespace tactus
