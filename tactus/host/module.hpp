#pragma once

#include <string>

#include "tactus/model/result.hpp"

/// Libraries of our own that the program does not link, because few runs need what they bring along.
namespace tactus::host {

/// The address of `symbol` in the library with that file name: in the build tree it lies beside the
/// program, installed in lib/tactus. It stays loaded to the end. An error says why there is none.
Result<void*> load_from_module(const std::string& file, const char* symbol);

}  // namespace tactus::host
