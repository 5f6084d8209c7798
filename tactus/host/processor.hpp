#pragma once

#include <string>

namespace tactus::host {

/// The processor of this machine, as it calls itself.
std::string processor_name();

}  // namespace tactus::host
