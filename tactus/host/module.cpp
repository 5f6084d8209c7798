#include "tactus/host/module.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>
#include <vector>

namespace tactus::host {
namespace {

namespace fs = std::filesystem;

/// Where the code lies that asks: the program, and the library that it is part of, if it is another.
std::vector<fs::path> homes() {
  std::vector<fs::path> all;
  std::error_code problem;
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  if (!problem) all.push_back(program.parent_path());
  Dl_info own{};
  if (::dladdr(reinterpret_cast<const void*>(&load_from_module), &own) != 0 && own.dli_fname) {
    const fs::path library = fs::canonical(own.dli_fname, problem);
    if (!problem && library != program) all.push_back(library.parent_path());
  }
  return all;
}

}  // namespace

Result<void*> load_from_module(const std::string& file, const char* symbol) {
  std::string reason = fmt::format("{} is not to be found", file);
  for (const fs::path& home : homes()) {
    // "..": programs of the build tree that lie one folder deeper, such as tests.
    for (const char* place : {".", "..", "../lib/tactus", "../tactus", "tactus", "../lib"}) {
      const fs::path path = home / place / file;
      std::error_code ignored;
      if (!fs::exists(path, ignored)) continue;
      // Global, because MPI loads parts of its own that look for the rest of it.
      void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (library != nullptr) {
        if (void* address = ::dlsym(library, symbol)) return address;
      }
      reason = ::dlerror();
    }
  }
  return Error{reason};
}

}  // namespace tactus::host
