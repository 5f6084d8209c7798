#pragma once

#include <string>
#include <string_view>

namespace tactus::host {

/// The path of the running program.
std::string own_program();

/// The path of a program or library that belongs to this one: beside it (a build folder), in ../lib
/// beside it (an installation), or just the name, for the system to find.
std::string companion(std::string_view name);

}  // namespace tactus::host
