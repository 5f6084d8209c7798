#pragma once

#include <string>

#include "tactus/base/result.hpp"

/// Libraries that the program does not link: our own, because few runs need what they bring along, and
/// those of others.
namespace tactus::host {

/// The address of `symbol` in the library with that file name: in the build tree it lies beside the
/// program, installed in lib/tactus. It stays loaded to the end. An error says why there is none.
Result<void*> load_from_module(const std::string& file, const char* symbol);

/// The same of somebody else's library, in the file of that path and nowhere else. Its names are not
/// seen by libraries that are loaded later.
Result<void*> load_from_file(const std::string& path, const char* symbol);

}  // namespace tactus::host
