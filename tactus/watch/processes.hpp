#pragma once

#include <string>
#include <vector>

namespace tactus::watch {

/// What the processes of a machine say of themselves in /proc.
struct Processes {
  struct One {
    int pid = 0;
    std::string name;
  };
  std::vector<One> on_gpu;    ///< that have CUDA open
  std::vector<One> arbiters;  ///< tactusd
  std::size_t hidden = 0;     ///< that this user may not look into
};

/// @param root a folder that stands for /
Processes look_at_processes(const std::string& root = "/");

}  // namespace tactus::watch
