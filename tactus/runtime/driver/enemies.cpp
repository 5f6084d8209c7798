#include "tactus/runtime/driver/enemies.hpp"

#include "tactus/runtime/driver/enemy_kernels.ptx.hpp"

namespace tactus::runtime::driver {
namespace {

constexpr std::size_t kMemory = std::size_t{512} << 20;  ///< beyond every cache
constexpr std::size_t kHost = std::size_t{32} << 20;
constexpr unsigned kCachedWords = 1U << 22;  ///< 16 MiB: inside the L2 cache
constexpr unsigned kBlocks = 1056, kThreads = 1024;
constexpr unsigned kPortable = 1;  // CU_MEMHOSTALLOC_PORTABLE
constexpr int kHostMemory = 1, kDeviceMemory = 2;

}  // namespace

Result<std::unique_ptr<Enemies>> Enemies::make(const OpenGpu& gpu) {
  std::unique_ptr<Enemies> made(new Enemies(gpu));
  if (auto problem = made->prepare()) return *problem;
  return made;
}

Enemies::~Enemies() {
  for (const Enemy& enemy : all_) driver_.graphs->graph_destroy(enemy.graph);
  if (memory_ != 0) driver_.base->memory_free(memory_);
  if (host_ != nullptr) driver_.base->host_free(host_);
}

std::optional<Error> Enemies::prepare() {
  if (auto problem =
          driver_.failed(driver_.graphs->library_load(&library_, kEnemyKernelsPtx, nullptr, nullptr,
                                                      0, nullptr, nullptr, 0),
                         "load the enemies")) {
    return problem;
  }
  if (auto problem =
          driver_.failed(driver_.base->memory_allocate(&memory_, kMemory), "reserve memory")) {
    return problem;
  }
  if (auto problem =
          driver_.failed(driver_.base->host_allocate(&host_, kHost, kPortable), "pin memory")) {
    return problem;
  }
  unsigned rounds = 100'000, none = 0, look_ups = 2000, additions = 1000, mask = kCachedWords - 1;
  std::uint64_t vectors = kMemory / 16;
  for (auto problem :
       {add_kernels("compute", "compute", 1, kBlocks, {&memory_, &rounds}),
        add_kernels("launches", "compute", 1000, 1, {&memory_, &none}),
        add_kernels("L2", "look_up", 1, kBlocks, {&memory_, &mask, &look_ups}),
        add_kernels("streaming", "stream", 4, kBlocks, {&memory_, &vectors}),
        add_kernels("atomics", "add", 1, kBlocks, {&memory_, &mask, &additions}), add_copies()}) {
    if (problem) return problem;
  }
  return std::nullopt;
}

Result<Graph> Enemies::add_graph(const char* name) {
  Graph graph = nullptr;
  if (auto problem = driver_.failed(driver_.graphs->graph_create(&graph, 0), "make a graph")) {
    return *problem;
  }
  all_.push_back({name, graph});
  return graph;
}

/// One after the other.
std::optional<Error> Enemies::add_kernels(const char* name, const char* kernel, int count,
                                          unsigned blocks, std::vector<void*> parameters) {
  const auto graph = add_graph(name);
  if (!graph) return graph.error();
  KernelNode node;
  if (auto problem = driver_.failed(driver_.graphs->library_kernel(&node.kernel, library_, kernel),
                                    "find an enemy")) {
    return problem;
  }
  node.context = context_;
  node.grid[0] = blocks;
  node.block[0] = kThreads;
  node.parameters = parameters.data();
  GraphNode before = nullptr;
  for (int i = 0; i < count; ++i) {
    GraphNode made = nullptr;
    if (auto problem =
            driver_.failed(driver_.graphs->kernel_add(&made, *graph, &before, i > 0 ? 1 : 0, &node),
                           "make an enemy")) {
      return problem;
    }
    before = made;
  }
  return std::nullopt;
}

/// In both directions at the same time.
std::optional<Error> Enemies::add_copies() {
  const auto graph = add_graph("copies");
  if (!graph) return graph.error();
  for (const bool up : {true, false}) {
    CopyNode copy;
    CopySide& host = up ? copy.from : copy.to;
    CopySide& device = up ? copy.to : copy.from;
    host.memory = kHostMemory;
    host.host = static_cast<char*>(host_) + (up ? 0 : kHost / 2);
    device.memory = kDeviceMemory;
    device.device = memory_ + (up ? 0 : kHost / 2);
    copy.width_bytes = kHost / 2;
    GraphNode made = nullptr;
    if (auto problem =
            driver_.failed(driver_.graphs->copy_add(&made, *graph, nullptr, 0, &copy, context_),
                           "make an enemy")) {
      return problem;
    }
  }
  return std::nullopt;
}

}  // namespace tactus::runtime::driver
