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

Result<void*> load_from_file(const std::string& path, const char* symbol) {
  // Without a slash, the folders of libraries would be searched.
  const std::string place = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::string why = ::dlerror();
    if (why.starts_with(place + ": ")) why.erase(0, place.size() + 2);
    return Error{why};
  }
  if (void* address = ::dlsym(library, symbol)) return address;
  return Error{fmt::format("it has no `{}`", symbol)};
}

}  // namespace tactus::host
