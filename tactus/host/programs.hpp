#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus::host {

/// The path of the running program.
std::string own_program();

/// Where a program or library that belongs to this one is: beside it (a build folder) or in the
/// libraries of the same installation; also near our own library, in a program of somebody else.
std::vector<std::string> companions(std::string_view name);

/// The first of these, or just the name, for the system to find.
std::string companion(std::string_view name);

}  // namespace tactus::host
