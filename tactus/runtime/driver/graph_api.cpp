#include "tactus/runtime/driver/graph_api.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

namespace tactus::runtime::driver {
namespace {

// As the driver lays them out.
static_assert(sizeof(KernelNode) == 72 && sizeof(MemsetNode) == 40 && sizeof(CopyNode) == 200 &&
              sizeof(EdgeData) == 8 && sizeof(SmResource) == 144);

Result<GraphApi> load() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{"no CUDA driver: libcuda.so.1 cannot be loaded"};
  GraphApi api{};
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    void* const symbol = dlsym(library, name);
    if (symbol == nullptr && missing == nullptr) missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find(api.device_resource, "cuDeviceGetDevResource");
  find(api.split_sms, "cuDevSmResourceSplitByCount");
  find(api.describe, "cuDevResourceGenerateDesc");
  find(api.green_create, "cuGreenCtxCreate");
  find(api.green_destroy, "cuGreenCtxDestroy");
  find(api.green_stream, "cuGreenCtxStreamCreate");
  find(api.context_of, "cuCtxFromGreenCtx");
  find(api.stream_destroy, "cuStreamDestroy_v2");
  find(api.host_address, "cuMemHostGetDevicePointer_v2");
  find(api.copy, "cuMemcpyAsync");
  find(api.library_load, "cuLibraryLoadData");
  find(api.library_kernel, "cuLibraryGetKernel");
  find(api.capture_begin, "cuStreamBeginCapture_v2");
  find(api.capture_end, "cuStreamEndCapture");
  find(api.graph_create, "cuGraphCreate");
  find(api.graph_clone, "cuGraphClone");
  find(api.graph_destroy, "cuGraphDestroy");
  find(api.graph_nodes, "cuGraphGetNodes");
  find(api.graph_edges, "cuGraphGetEdges_v2");
  find(api.add_edges, "cuGraphAddDependencies_v2");
  find(api.node_type, "cuGraphNodeGetType");
  find(api.node_destroy, "cuGraphDestroyNode");
  find(api.child_graph, "cuGraphChildGraphNodeGetGraph");
  find(api.kernel_get, "cuGraphKernelNodeGetParams_v2");
  find(api.kernel_set, "cuGraphKernelNodeSetParams_v2");
  find(api.kernel_add, "cuGraphAddKernelNode_v2");
  find(api.memset_get, "cuGraphMemsetNodeGetParams");
  find(api.memset_add, "cuGraphAddMemsetNode");
  find(api.copy_get, "cuGraphMemcpyNodeGetParams");
  find(api.copy_add, "cuGraphAddMemcpyNode");
  find(api.instantiate, "cuGraphInstantiateWithFlags");
  find(api.upload, "cuGraphUpload");
  find(api.launch, "cuGraphLaunch");
  find(api.exec_destroy, "cuGraphExecDestroy");
  if (missing == nullptr) return api;
  return Error{fmt::format("the CUDA driver is too old: libcuda.so.1 has no {}", missing)};
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
  const auto base = arbiter::tiers::driver_api();
  if (!base) return base.error();
  if (!graphs) return graphs.error();
  return Driver{*base, &*graphs};
}

}  // namespace tactus::runtime::driver
