#include "tactus/host/module.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include "tactus/host/programs.hpp"

namespace tactus::host {

Result<void*> load_from_module(const std::string& file, const char* symbol) {
  std::string reason = fmt::format("{} is not to be found", file);
  for (const std::string& path : companions(file)) {
    // Global, because MPI loads parts of its own that look for the rest of it.
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) {
      if (void* address = ::dlsym(library, symbol)) return address;
    }
    reason = ::dlerror();
  }
  return Error{reason};
}

}  // namespace tactus::host
