#include "tactus/host/processor.hpp"

#include <algorithm>
#include <fstream>

namespace tactus::host {

std::string processor_name() {
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (line.starts_with("model name"))
      return line.substr(std::min(line.find(':') + 2, line.size()));
  }
  return "unknown";
}

}  // namespace tactus::host
