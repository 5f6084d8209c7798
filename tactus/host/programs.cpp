#include "tactus/host/programs.hpp"

#include <unistd.h>

#include <array>

namespace tactus::host {

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "tactus";
}

std::string companion(std::string_view name) {
  const std::string program = own_program();
  const std::string folder = program.substr(0, program.rfind('/') + 1);
  for (const std::string_view place : {"", "../lib/", "../lib/tactus/"}) {
    const std::string path = folder + std::string(place) + std::string(name);
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return std::string(name);
}

}  // namespace tactus::host
