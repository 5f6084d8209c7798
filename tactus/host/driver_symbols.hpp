#pragma once

/// How a library that is loaded into a program first stands in for functions of CUDA's driver. A
/// program finds these in three ways: by linking, by dlsym, and by cuGetProcAddress. (Part of what
/// gets preloaded: no C++ library.)
namespace tactus::host {

/// `dlsym` of the C library, which a library that stands in for it hides.
using FindSymbol = void* (*)(void* handle, const char* name);
FindSymbol real_dlsym();

/// The name of a function of the driver without its suffixes: "cuMemcpyHtoD" of "cuMemcpyHtoD_v2".
struct DriverName {
  char base[64] = {};       ///< empty: it is too long for any
  bool per_thread = false;  ///< had "_ptsz" or "_ptds": the default stream is one per thread
};
DriverName driver_name(const char* name);

/// Is this code in the library that asks?
bool is_in_this_library(void* function);

}  // namespace tactus::host
