#include "tests/fake_driver/fake_cuda.hpp"

#include <time.h>

#include <cstdlib>
#include <cstring>

namespace fake_cuda {
namespace {

constexpr Code kInvalid = 1, kNotSupported = 801, kCaptureFailed = 901;

struct FakeExec {
  std::unique_ptr<FakeGraph> graph;
};
/// The marks, and anything else as a kernel that does nothing.
struct FakeLibrary {
  FakeKernel nothing{"nothing", 0, [](void**, const FakeContext&) {}};
  FakeKernel mark{
      "mark", 1, [](void** parameters, const FakeContext& where) {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        auto* at = reinterpret_cast<std::uint64_t*>(*static_cast<std::uint64_t*>(parameters[0]));
        *reinterpret_cast<std::uint32_t*>(at + 1) = static_cast<std::uint32_t>(where.first) + 1;
        at[0] = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
                static_cast<std::uint64_t>(now.tv_nsec);
      }};
};

/// What a test wants to see fail.
Code code_of(const char* function) {
  const auto found = state().fails.find(function);
  return found == state().fails.end() ? 0 : found->second;
}

FakeContext* context_or_whole(void* context) {
  return context != nullptr ? static_cast<FakeContext*>(context) : &state().whole;
}

void set_kernel(FakeNode& node, const KernelNode& from) {
  // As the driver: a function brings its context along, whatever else is said.
  FakeContext* const before = static_cast<FakeContext*>(node.kernel.context);
  auto* const kernel =
      static_cast<FakeKernel*>(from.function != nullptr ? from.function : from.kernel);
  std::vector<std::uint64_t> values(kernel->parameters);  // `from` may point into the node's own
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&values[i], from.parameters[i], 8);
  node.values = std::move(values);
  node.kernel = from;
  node.kernel.function = kernel;
  node.kernel.kernel = kernel->movable ? kernel : nullptr;
  node.kernel.context =
      from.function == nullptr ? context_or_whole(from.context) : context_or_whole(before);
}

std::unique_ptr<FakeGraph> copy_of(const FakeGraph& graph) {
  auto made = std::make_unique<FakeGraph>();
  std::map<const FakeNode*, FakeNode*> same;
  for (const auto& node : graph.nodes) {
    FakeNode* const copy = made->add(node->type);
    copy->kernel = node->kernel;
    copy->values = node->values;
    copy->memset = node->memset;
    copy->copy = node->copy;
    copy->context = node->context;
    if (node->child) copy->child = copy_of(*node->child);
    same[node.get()] = copy;
  }
  for (const auto& [from, to, data] : graph.edges) {
    made->edges.emplace_back(same[from], same[to], data);
  }
  return made;
}

void* address_of(const CopySide& side) {
  return side.memory == 1 ? side.host : reinterpret_cast<void*>(side.device);
}

void run(FakeNode& node);
void run(const FakeGraph& graph) {
  std::map<const FakeNode*, std::size_t> waits;
  for (const auto& [from, to, data] : graph.edges) ++waits[to];
  std::vector<FakeNode*> ready;
  // The last added first: an order that no edge asks for must not matter.
  for (const auto& node : graph.nodes) {
    if (waits[node.get()] == 0) ready.push_back(node.get());
  }
  while (!ready.empty()) {
    FakeNode* const node = ready.back();
    ready.pop_back();
    run(*node);
    for (const auto& [from, to, data] : graph.edges) {
      if (from == node && --waits[to] == 0) ready.push_back(to);
    }
  }
}

void run(FakeNode& node) {
  switch (node.type) {
    case NodeType::kKernel: {
      auto& kernel = *static_cast<FakeKernel*>(node.kernel.function);
      const FakeContext& where = *static_cast<FakeContext*>(node.kernel.context);
      std::vector<void*> parameters;
      for (std::uint64_t& value : node.values) parameters.push_back(&value);
      kernel.body(parameters.data(), where);
      state().ran.push_back({node.type, kernel.name, where});
      return;
    }
    case NodeType::kMemset:
      std::memset(reinterpret_cast<void*>(node.memset.to), static_cast<int>(node.memset.value),
                  node.memset.width * node.memset.element_bytes);
      state().ran.push_back({node.type, {}, *node.context});
      return;
    case NodeType::kCopy:
      std::memcpy(address_of(node.copy.to), address_of(node.copy.from),
                  std::min(node.copy.width_bytes, state().largest_copy));
      state().ran.push_back({node.type, {}, *node.context});
      return;
    case NodeType::kChild:
      return run(*node.child);
    default:
      state().ran.push_back({node.type, {}, state().whole});
  }
}

/// Behind what the stream captured last.
FakeNode* captured(FakeStream& stream, FakeNode* node) {
  if (stream.last != nullptr) stream.captured->order(stream.last, node);
  return stream.last = node;
}

template <typename Item, typename Result>
Code list(const std::vector<Item>& items, Result* out, std::size_t* count) {
  if (out != nullptr) {
    for (std::size_t i = 0; i < items.size(); ++i) out[i] = items[i];
  }
  *count = items.size();
  return 0;
}

}  // namespace

State& state() {
  static State instance;
  return instance;
}
void reset() { state() = State(); }

FakeNode* FakeGraph::add(NodeType type) {
  FakeNode* const node = nodes.emplace_back(std::make_unique<FakeNode>()).get();
  node->type = type;
  node->graph = this;
  node->context = &state().whole;
  return node;
}
FakeNode* FakeGraph::add_kernel(FakeKernel& kernel, const std::vector<std::uint64_t>& values,
                                FakeContext* context) {
  FakeNode* const node = add(NodeType::kKernel);
  node->kernel.function = &kernel;
  node->kernel.kernel = kernel.movable ? &kernel : nullptr;
  node->kernel.context = context;
  node->values = values;
  return node;
}
FakeNode* FakeGraph::add_memset(void* to, unsigned char value, std::size_t bytes) {
  FakeNode* const node = add(NodeType::kMemset);
  node->memset.to = reinterpret_cast<Address>(to);
  node->memset.value = value;
  node->memset.width = bytes;
  return node;
}
FakeNode* FakeGraph::add_copy(void* to, const void* from, std::size_t bytes) {
  FakeNode* const node = add(NodeType::kCopy);
  node->copy.to.memory = node->copy.from.memory = 4;
  node->copy.to.device = reinterpret_cast<Address>(to);
  node->copy.from.device = reinterpret_cast<Address>(from);
  node->copy.width_bytes = bytes;
  return node;
}
void FakeGraph::order(FakeNode* before, FakeNode* after) {
  edges.emplace_back(before, after, EdgeData());
}

}  // namespace fake_cuda

using namespace fake_cuda;

extern "C" {

Code cuInit(unsigned) { return code_of("cuInit"); }
Code cuDeviceGetCount(int* count) {
  *count = 1;
  return code_of("cuDeviceGetCount");
}
Code cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
Code cuDeviceGetName(char* name, int size, int) {
  std::strncpy(name, "fake GPU", static_cast<std::size_t>(size));
  return 0;
}
Code cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 16 ? state().whole.count : 1;
  return 0;
}
Code cuDevicePrimaryCtxSetFlags_v2(int, unsigned) { return 0; }
Code cuDevicePrimaryCtxRetain(Context* context, int) {
  *context = &state().whole;
  return 0;
}
Code cuDevicePrimaryCtxRelease_v2(int) { return 0; }
Code cuCtxSetCurrent(Context) { return 0; }
Code cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return 0;
}
Code cuModuleLoadData(void**, const void*) { return kNotSupported; }
Code cuModuleGetFunction(void**, void*, const char*) { return kNotSupported; }
Code cuMemAlloc_v2(Address* address, std::size_t bytes) {
  *address = reinterpret_cast<Address>(std::malloc(bytes));
  return 0;
}
Code cuMemFree_v2(Address address) {
  std::free(reinterpret_cast<void*>(address));
  return 0;
}
Code cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  *pointer = std::malloc(bytes);
  return 0;
}
Code cuMemFreeHost(void* pointer) {
  std::free(pointer);
  return 0;
}
Code cuMemHostGetDevicePointer_v2(Address* address, void* pointer, unsigned) {
  *address = reinterpret_cast<Address>(pointer);
  return 0;
}

Code cuMemcpyAsync(Address to, Address from, std::size_t bytes, Stream stream) {
  if (const Code code = code_of("cuMemcpyAsync"); code != 0) return code;
  auto& queue = *static_cast<FakeStream*>(stream);
  void* const target = reinterpret_cast<void*>(to);
  const void* const source = reinterpret_cast<const void*>(from);
  if (queue.captured != nullptr) {
    captured(queue, queue.captured->add_copy(target, source, bytes))->context = queue.context;
    return 0;
  }
  std::memcpy(target, source, bytes);
  return 0;
}
Code cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream stream) {
  return cuMemcpyAsync(to, reinterpret_cast<Address>(from), bytes, stream);
}
Code cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream stream) {
  return cuMemcpyAsync(reinterpret_cast<Address>(to), from, bytes, stream);
}
Code cuMemsetD32Async(Address at, unsigned word, std::size_t count, Stream stream) {
  auto& queue = *static_cast<FakeStream*>(stream);
  void* const target = reinterpret_cast<void*>(at);
  if (queue.captured == nullptr) return kNotSupported;
  captured(queue, queue.captured->add_memset(target, static_cast<unsigned char>(word), 4 * count))
      ->context = queue.context;
  return 0;
}

Code cuStreamCreateWithPriority(Stream* stream, unsigned, int) {
  *stream = new FakeStream{&state().whole};
  ++state().streams;
  return code_of("cuStreamCreateWithPriority");
}
Code cuStreamDestroy_v2(Stream stream) {
  delete static_cast<FakeStream*>(stream);
  --state().streams;
  return 0;
}
Code cuStreamSynchronize(Stream) { return 0; }
Code cuStreamQuery(Stream) { return state().silent ? 719 : 0; }
Code cuStreamBeginCapture_v2(Stream stream, int) {
  static_cast<FakeStream*>(stream)->captured = new FakeGraph;
  static_cast<FakeStream*>(stream)->last = nullptr;
  ++state().graphs;
  return 0;
}
Code cuStreamEndCapture(Stream stream, Graph* graph) {
  *graph = std::exchange(static_cast<FakeStream*>(stream)->captured, nullptr);
  return code_of("cuStreamEndCapture") != 0 ? kCaptureFailed : 0;
}

Code cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                    unsigned, Stream stream, void** parameters, void**) {
  auto& kernel = *static_cast<FakeKernel*>(function);
  auto& queue = *static_cast<FakeStream*>(stream);
  if (queue.captured == nullptr) {
    kernel.body(parameters, *queue.context);
    return 0;
  }
  std::vector<std::uint64_t> values(kernel.parameters);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&values[i], parameters[i], 8);
  captured(queue, queue.captured->add_kernel(kernel, values, queue.context));
  return 0;
}
Code cuGetErrorString(Code code, const char** text) {
  *text = code == 719 ? "unspecified launch failure" : "operation not supported";
  return 0;
}

// SMs come in pairs, and in groups of eight where clusters must fit.
Code cuDeviceGetDevResource(int, SmResource* resource, int) {
  *resource = SmResource();
  resource->type = 1;
  resource->sms = static_cast<unsigned>(state().whole.count);
  return code_of("cuDeviceGetDevResource");
}
Code cuDevSmResourceSplitByCount(SmResource* groups, unsigned* count, const SmResource* input,
                                 SmResource*, unsigned flags, unsigned) {
  const unsigned step = flags == 0 ? 8 : 2, most = input->sms / step;
  if (groups == nullptr) {
    *count = most;
    return 0;
  }
  *count = std::min(*count, most);
  for (unsigned i = 0; i < *count; ++i) {
    groups[i] = *input;
    groups[i].sms = step;
    const unsigned first = i * step;
    std::memcpy(groups[i].internal, &first, sizeof first);
  }
  return 0;
}
Code cuDevResourceGenerateDesc(void** description, SmResource* groups, unsigned count) {
  auto* const made = new FakeContext;
  unsigned first = 0;
  std::memcpy(&first, groups[0].internal, sizeof first);
  made->first = static_cast<int>(first);
  made->count = static_cast<int>(count * groups[0].sms);
  *description = made;
  return 0;
}
Code cuGreenCtxCreate(GreenContext* made, void* description, int, unsigned flags) {
  if (flags != 1) return kInvalid;
  *made = description;
  ++state().partitions;
  return code_of("cuGreenCtxCreate");
}
Code cuGreenCtxDestroy(GreenContext context) {
  delete static_cast<FakeContext*>(context);
  --state().partitions;
  return 0;
}
Code cuGreenCtxStreamCreate(Stream* stream, GreenContext context, unsigned, int) {
  *stream = new FakeStream{static_cast<FakeContext*>(context)};
  ++state().streams;
  return 0;
}
Code cuCtxFromGreenCtx(Context* context, GreenContext green) {
  *context = green;
  return 0;
}

Code cuLibraryLoadData(Library* library, const void*, void*, void**, unsigned, void*, void**,
                       unsigned) {
  static FakeLibrary marks;
  *library = &marks;
  return code_of("cuLibraryLoadData");
}
Code cuLibraryGetKernel(Kernel* kernel, Library library, const char* name) {
  auto& all = *static_cast<FakeLibrary*>(library);
  *kernel = std::strcmp(name, "mark") == 0 ? &all.mark : &all.nothing;
  return 0;
}

Code cuGraphCreate(Graph* graph, unsigned) {
  *graph = new FakeGraph;
  ++state().graphs;
  return 0;
}
Code cuGraphClone(Graph* clone, Graph original) {
  if (const Code code = code_of("cuGraphClone"); code != 0) return code;
  *clone = copy_of(*static_cast<FakeGraph*>(original)).release();
  ++state().graphs;
  return 0;
}
Code cuGraphDestroy(Graph graph) {
  delete static_cast<FakeGraph*>(graph);
  --state().graphs;
  return 0;
}
Code cuGraphGetNodes(Graph graph, GraphNode* nodes, std::size_t* count) {
  std::vector<FakeNode*> all;
  for (const auto& node : static_cast<FakeGraph*>(graph)->nodes) all.push_back(node.get());
  return list(all, nodes, count);
}
Code cuGraphGetEdges_v2(Graph graph, GraphNode* from, GraphNode* to, EdgeData* data,
                        std::size_t* count) {
  const auto& edges = static_cast<FakeGraph*>(graph)->edges;
  if (from != nullptr) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      from[i] = std::get<0>(edges[i]);
      to[i] = std::get<1>(edges[i]);
      data[i] = std::get<2>(edges[i]);
    }
  }
  *count = edges.size();
  return 0;
}
Code cuGraphAddDependencies_v2(Graph graph, const GraphNode* from, const GraphNode* to,
                               const EdgeData* data, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    static_cast<FakeGraph*>(graph)->edges.emplace_back(static_cast<FakeNode*>(from[i]),
                                                       static_cast<FakeNode*>(to[i]),
                                                       data != nullptr ? data[i] : EdgeData());
  }
  return 0;
}
Code cuGraphNodeGetType(GraphNode node, NodeType* type) {
  *type = static_cast<FakeNode*>(node)->type;
  return 0;
}
Code cuGraphDestroyNode(GraphNode node) {
  auto* const gone = static_cast<FakeNode*>(node);
  FakeGraph& graph = *gone->graph;
  std::erase_if(graph.edges, [&](const auto& edge) {
    return std::get<0>(edge) == gone || std::get<1>(edge) == gone;
  });
  std::erase_if(graph.nodes, [&](const auto& one) { return one.get() == gone; });
  return 0;
}
Code cuGraphChildGraphNodeGetGraph(GraphNode node, Graph* graph) {
  *graph = static_cast<FakeNode*>(node)->child.get();
  return 0;
}
Code cuGraphKernelNodeGetParams_v2(GraphNode node, KernelNode* kernel) {
  auto& source = *static_cast<FakeNode*>(node);
  source.pointers.clear();
  for (std::uint64_t& value : source.values) source.pointers.push_back(&value);
  *kernel = source.kernel;
  kernel->parameters = source.pointers.data();
  return 0;
}
Code cuGraphKernelNodeSetParams_v2(GraphNode node, const KernelNode* kernel) {
  if (const Code code = code_of("cuGraphKernelNodeSetParams_v2"); code != 0) return code;
  if (kernel->function == nullptr && kernel->kernel == nullptr) return kInvalid;
  set_kernel(*static_cast<FakeNode*>(node), *kernel);
  return 0;
}
Code cuGraphAddKernelNode_v2(GraphNode* node, Graph graph, const GraphNode* after,
                             std::size_t count, const KernelNode* kernel) {
  auto& target = *static_cast<FakeGraph*>(graph);
  FakeNode* const made = target.add(NodeType::kKernel);
  set_kernel(*made, *kernel);
  for (std::size_t i = 0; i < count; ++i) target.order(static_cast<FakeNode*>(after[i]), made);
  *node = made;
  return 0;
}
Code cuGraphMemsetNodeGetParams(GraphNode node, MemsetNode* memset) {
  *memset = static_cast<FakeNode*>(node)->memset;
  return 0;
}
Code cuGraphAddMemsetNode(GraphNode* node, Graph graph, const GraphNode*, std::size_t,
                          const MemsetNode* memset, Context context) {
  FakeNode* const made = static_cast<FakeGraph*>(graph)->add(NodeType::kMemset);
  made->memset = *memset;
  made->context = context_or_whole(context);
  *node = made;
  return code_of("cuGraphAddMemsetNode");
}
Code cuGraphMemcpyNodeGetParams(GraphNode node, CopyNode* copy) {
  *copy = static_cast<FakeNode*>(node)->copy;
  return 0;
}
Code cuGraphAddMemcpyNode(GraphNode* node, Graph graph, const GraphNode*, std::size_t,
                          const CopyNode* copy, Context context) {
  FakeNode* const made = static_cast<FakeGraph*>(graph)->add(NodeType::kCopy);
  made->copy = *copy;
  made->context = context_or_whole(context);
  *node = made;
  return 0;
}
Code cuGraphInstantiateWithFlags(GraphExec* exec, Graph graph, unsigned long long) {
  if (const Code code = code_of("cuGraphInstantiateWithFlags"); code != 0) return code;
  *exec = new FakeExec{copy_of(*static_cast<FakeGraph*>(graph))};
  ++state().executables;
  return 0;
}
Code cuGraphUpload(GraphExec, Stream) { return 0; }
Code cuGraphLaunch(GraphExec exec, Stream) {
  if (const Code code = code_of("cuGraphLaunch"); code != 0) return code;
  if (!state().silent) run(*static_cast<FakeExec*>(exec)->graph);
  return 0;
}
Code cuGraphExecDestroy(GraphExec exec) {
  delete static_cast<FakeExec*>(exec);
  --state().executables;
  return 0;
}
}
