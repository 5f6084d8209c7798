#include "tactus/host/programs.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>

namespace tactus::host {
namespace {

/// From the folder of a program or library of ours to the folders where others of them may lie:
/// beside it, in the build tree also one folder higher (tests), installed in lib or lib/tactus.
constexpr std::string_view kPlaces[] = {"",        "../",        "../lib/tactus/",
                                        "../lib/", "../tactus/", "tactus/"};

std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/') + 1); }

/// The file that holds this code, if it is not the program: a library that another program loaded.
std::string own_library() {
  Dl_info own{};
  if (::dladdr(reinterpret_cast<const void*>(&own_program), &own) == 0 || own.dli_fname == nullptr)
    return {};
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(own.dli_fname, nullptr),
                                                         &std::free);
  return real == nullptr ? std::string() : std::string(real.get());
}

}  // namespace

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "tactus";
}

std::vector<std::string> companions(std::string_view name) {
  std::vector<std::string> homes = {folder_of(own_program())};
  if (const std::string home = folder_of(own_library()); !home.empty() && home != homes.front())
    homes.push_back(home);
  std::vector<std::string> found;
  for (const std::string& home : homes) {
    for (const std::string_view place : kPlaces) {
      std::string path = home;
      path.append(place).append(name);
      if (access(path.c_str(), R_OK) == 0) found.push_back(std::move(path));
    }
  }
  return found;
}

std::string companion(std::string_view name) {
  const std::vector<std::string> found = companions(name);
  return found.empty() ? std::string(name) : found.front();
}

}  // namespace tactus::host
