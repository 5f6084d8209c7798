#pragma once

#include <string>
#include <string_view>

namespace tactus::cli {

/// What is told of long work, as a line for a terminal: where it says how much is done ("128 of 300
/// systems"), with a bar and with how long the rest takes if it goes on so.
/// @param seconds since it was begun
std::string progress_line(std::string_view told, double seconds);

}  // namespace tactus::cli
