#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "tactus/base/result.hpp"

namespace tactus::runtime::cuda {

/// A CUDA call that failed, as one line. Thrown inside this folder only: `guarded` turns it into an
/// `Error` at its border, after everything on the way was released.
class CudaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws unless the call succeeded. `doing` completes the sentence "cannot ...".
inline void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  throw CudaError(std::string("the GPU cannot ") + doing + ": " + cudaGetErrorString(status) +
                  " (" + cudaGetErrorName(status) + ")");
}

/// The same for the driver's calls.
void check(CUresult status, const char* doing);

/// Releases must not throw: with a lost context everything is lost.
inline void ignore(cudaError_t status) { static_cast<void>(status); }

template <typename Value, typename Work>
Result<Value> guarded(Work work) {
  try {
    return Result<Value>(work());
  } catch (const std::exception& problem) {
    return Error{problem.what()};
  }
}

}  // namespace tactus::runtime::cuda
