#pragma once

#include <string>

namespace tactus::support {

/// The path of a file of the repository: `source_path("examples/robot.system.json")`.
/// Only this function's source knows where the repository is, so that a compiler cache serves
/// every other test in any checkout.
std::string source_path(const std::string& relative);

}  // namespace tactus::support
