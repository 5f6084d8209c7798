#pragma once

#include <string>
#include <string_view>

namespace tactus::cli {

/// "90 s", "14 min", "2.5 h".
std::string duration_text(double seconds);

/// What is told of long work, as a line for a terminal: where it says how much is done ("128 of 300
/// systems"), with a bar and with how long the rest takes if it goes on so.
/// @param seconds since it was begun
/// @param columns of the terminal: a longer line would not be one line
std::string progress_line(std::string_view told, double seconds, int columns);

}  // namespace tactus::cli
