#include "tactus/runtime/driver/graph_api.hpp"

#include <fmt/core.h>

namespace tactus::runtime::driver {
namespace {

// As the driver lays them out.
static_assert(sizeof(KernelNode) == 72 && sizeof(MemsetNode) == 40 && sizeof(CopyNode) == 200 &&
              sizeof(EdgeData) == 8 && sizeof(SmResource) == 144);

Result<GraphApi> load() {
  GraphApi api{};
  host::DriverLibrary library;
  library.find(api.device_resource, "cuDeviceGetDevResource");
  library.find(api.split_sms, "cuDevSmResourceSplitByCount");
  library.find(api.describe, "cuDevResourceGenerateDesc");
  library.find(api.green_create, "cuGreenCtxCreate");
  library.find(api.green_destroy, "cuGreenCtxDestroy");
  library.find(api.green_stream, "cuGreenCtxStreamCreate");
  library.find(api.context_of, "cuCtxFromGreenCtx");
  library.find(api.stream_destroy, "cuStreamDestroy_v2");
  library.find(api.host_address, "cuMemHostGetDevicePointer_v2");
  library.find(api.copy, "cuMemcpyAsync");
  library.find(api.library_load, "cuLibraryLoadData");
  library.find(api.library_kernel, "cuLibraryGetKernel");
  library.find(api.capture_begin, "cuStreamBeginCapture_v2");
  library.find(api.capture_end, "cuStreamEndCapture");
  library.find(api.graph_create, "cuGraphCreate");
  library.find(api.graph_clone, "cuGraphClone");
  library.find(api.graph_destroy, "cuGraphDestroy");
  library.find(api.graph_nodes, "cuGraphGetNodes");
  library.find(api.graph_edges, "cuGraphGetEdges_v2");
  library.find(api.add_edges, "cuGraphAddDependencies_v2");
  library.find(api.node_type, "cuGraphNodeGetType");
  library.find(api.node_destroy, "cuGraphDestroyNode");
  library.find(api.child_graph, "cuGraphChildGraphNodeGetGraph");
  library.find(api.kernel_get, "cuGraphKernelNodeGetParams_v2");
  library.find(api.kernel_set, "cuGraphKernelNodeSetParams_v2");
  library.find(api.kernel_add, "cuGraphAddKernelNode_v2");
  library.find(api.memset_get, "cuGraphMemsetNodeGetParams");
  library.find(api.memset_add, "cuGraphAddMemsetNode");
  library.find(api.copy_get, "cuGraphMemcpyNodeGetParams");
  library.find(api.copy_add, "cuGraphAddMemcpyNode");
  library.find(api.instantiate, "cuGraphInstantiateWithFlags");
  library.find(api.upload, "cuGraphUpload");
  library.find(api.launch, "cuGraphLaunch");
  library.find(api.exec_destroy, "cuGraphExecDestroy");
  if (const auto problem = library.problem()) return *problem;
  return api;
}

}  // namespace

std::optional<Error> Driver::failed(Code code, const char* doing) const {
  if (code == 0) return std::nullopt;
  const char* text = nullptr;
  if (base->error_text(code, &text) != 0 || text == nullptr) text = "unknown error";
  return Error{fmt::format("the GPU cannot {}: {}", doing, text)};
}

Result<Driver> load_driver() {
  static const Result<GraphApi> graphs = load();
  const auto base = host::driver_api();
  if (!base) return base.error();
  if (!graphs) return graphs.error();
  return Driver{*base, &*graphs};
}

}  // namespace tactus::runtime::driver
