#pragma once

#include <atomic>
#include <cstddef>

/// How a library that is loaded into a program first stands in for functions of CUDA's driver. A
/// program finds these in three ways: by linking, by dlsym, and by cuGetProcAddress. (Part of what
/// gets preloaded: no C++ library.)
namespace tactus::host {

/// `dlsym` of the C library, which a library that stands in for it hides.
using FindSymbol = void* (*)(void* handle, const char* name);
FindSymbol real_dlsym();

/// The name of a function of the driver without its suffixes: "cuMemcpyHtoD" of "cuMemcpyHtoD_v2".
struct DriverName {
  char base[64] = {};  ///< empty: it is too long for any
};
DriverName driver_name(const char* name);

/// Is this code in the library that asks?
bool is_in_this_library(void* function);

/// A function of the driver exists in several forms under one name: older and newer versions, with
/// other arguments, and one for a default stream per thread. A program may use several of them, so
/// each form has a stand-in of its own, which finds in its place what it stands for.
inline constexpr std::size_t kForms = 4;
using Forms = std::atomic<void*>[kForms];

/// The place of this form, from now on; `kForms` if all places are taken.
std::size_t place_of(void* function, Forms& forms);

}  // namespace tactus::host
