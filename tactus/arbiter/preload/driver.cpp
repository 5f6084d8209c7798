#include "tactus/arbiter/preload/driver.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace tactus::arbiter::preload {
namespace {

/// Only branches that were measured: on others the controls may do nothing, or may not be
/// undone.
constexpr std::array<std::string_view, 1> kKnownBranches = {"580"};

bool is_version(std::string_view word) {
  return word.find('.') != std::string_view::npos &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

}  // namespace

Driver parse_driver(std::string_view text) {
  // "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build ..."
  Driver driver;
  const std::size_t line_start = text.find("NVRM version:");
  if (line_start == std::string_view::npos) {
    driver.reason = "no NVIDIA driver is loaded";
    return driver;
  }
  std::string_view line = text.substr(line_start);
  line = line.substr(0, line.find('\n'));
  while (!line.empty() && driver.version.empty()) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    if (is_version(word)) driver.version = word;
    line.remove_prefix(std::min(line.size(), word.size() + 1));
  }
  if (driver.version.empty()) {
    driver.reason = "the version of the NVIDIA driver cannot be read";
    return driver;
  }
  const std::string branch = driver.version.substr(0, driver.version.find('.'));
  driver.supported =
      std::find(kKnownBranches.begin(), kKnownBranches.end(), branch) != kKnownBranches.end();
  if (!driver.supported)
    driver.reason = "driver " + driver.version +
                    " is not of a branch whose channel controls have been measured (580)";
  return driver;
}

Driver loaded_driver() {
  const int file = ::open("/proc/driver/nvidia/version", O_RDONLY | O_CLOEXEC);
  std::string text;
  if (file >= 0) {
    std::array<char, 1024> buffer{};
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got > 0) text.assign(buffer.data(), static_cast<std::size_t>(got));
    ::close(file);
  }
  return parse_driver(text);
}

}  // namespace tactus::arbiter::preload
