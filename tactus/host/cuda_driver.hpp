#pragma once

#include <cstddef>
#include <optional>

#include "tactus/base/result.hpp"

namespace tactus::host {

/// The few functions of CUDA's driver library that work of our own on a GPU needs, looked up in the
/// installed library: every machine with a GPU has it, and neither building nor running needs
/// the CUDA toolkit. Types and numbers are those of cuda.h, a stable binary interface.
struct DriverApi {
  using Code = int;  ///< CUresult; 0 is success
  using Address = unsigned long long;
  using Context = void*;
  using Module = void*;
  using Function = void*;
  using Stream = void*;

  Code (*init)(unsigned flags);
  Code (*device_count)(int* count);
  Code (*device_get)(int* device, int ordinal);
  Code (*device_name)(char* name, int size, int device);
  Code (*device_attribute)(int* value, int attribute, int device);
  Code (*context_flags)(int device, unsigned flags);
  Code (*context_retain)(Context* context, int device);
  Code (*context_release)(int device);
  Code (*context_set)(Context context);
  Code (*module_load)(Module* module, const void* image);
  Code (*module_function)(Function* function, Module module, const char* name);
  Code (*memory_allocate)(Address* address, std::size_t bytes);
  Code (*memory_free)(Address address);
  Code (*host_allocate)(void** pointer, std::size_t bytes, unsigned flags);
  Code (*host_free)(void* pointer);
  Code (*copy_to_device)(Address to, const void* from, std::size_t bytes, Stream stream);
  Code (*copy_to_host)(void* to, Address from, std::size_t bytes, Stream stream);
  Code (*fill_words)(Address at, unsigned word, std::size_t count, Stream stream);
  Code (*stream_create)(Stream* stream, unsigned flags, int priority);
  Code (*stream_wait)(Stream stream);
  Code (*stream_query)(Stream stream);
  Code (*priority_range)(int* least, int* greatest);
  Code (*launch)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                 Stream stream, void** parameters, void** extra);
  Code (*error_text)(Code code, const char** text);
};

inline constexpr DriverApi::Code kNotReady = 600;

/// The functions of libcuda.so.1, loaded on first use. An `Error` says what is missing.
Result<const DriverApi*> driver_api();

/// libcuda.so.1, which fills tables like this one:
///
///     DriverLibrary library;
///     library.find(api.init, "cuInit");
///     if (const auto problem = library.problem()) return *problem;
class DriverLibrary {
 public:
  DriverLibrary();

  template <typename Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(symbol(name));
  }
  /// Why a table is not whole: there is no driver, or it lacks a function.
  std::optional<Error> problem() const;

 private:
  void* symbol(const char* name);

  void* library_;
  const char* missing_ = nullptr;
};

/// What went wrong, as one line: "cuLaunchKernel: an illegal memory access was encountered".
Error driver_error(const DriverApi& api, const char* what, DriverApi::Code code);

}  // namespace tactus::host
