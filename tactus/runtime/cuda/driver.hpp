#pragma once

#include <cuda.h>

#include <string>

namespace tactus::runtime::cuda {

/// The driver calls that the CUDA runtime has no form of, looked up when first needed: the program
/// links no libcuda and so starts on machines without a driver. A call that this driver does not
/// know is null.
struct Driver {
  CUresult (*get_error_string)(CUresult, const char**) = nullptr;
  CUresult (*graph_add_node)(CUgraphNode*, CUgraph, const CUgraphNode*, const CUgraphEdgeData*,
                             size_t, CUgraphNodeParams*) = nullptr;
  CUresult (*kernel_set_attribute)(CUfunction_attribute, int, CUkernel, CUdevice) = nullptr;
  CUresult (*write_value)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = nullptr;
};

/// The one table of this process. All null without a driver.
const Driver& driver();

/// Why there is no GPU to work with, or empty when there is one. Makes no context.
std::string why_no_gpu();

}  // namespace tactus::runtime::cuda
