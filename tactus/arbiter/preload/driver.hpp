#pragma once

#include <string>
#include <string_view>

namespace tactus::arbiter::preload {

/// The driver that is loaded, and whether the block layouts of `rm_layout.hpp` are known to be its
/// own.
struct Driver {
  std::string version;  ///< "580.159.04"; empty: no NVIDIA driver
  bool supported = false;
  std::string reason;  ///< why not, for a person
};

/// From the text of /proc/driver/nvidia/version.
Driver parse_driver(std::string_view text);
/// Reads that file.
Driver loaded_driver();

}  // namespace tactus::arbiter::preload
