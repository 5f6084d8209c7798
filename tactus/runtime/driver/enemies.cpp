#include "tactus/runtime/driver/enemies.hpp"

#include <cstdint>

#include "tactus/runtime/driver/enemy_kernels.ptx.hpp"

namespace tactus::runtime::driver {
namespace {

constexpr std::size_t kMemory = std::size_t{512} << 20;  ///< beyond every cache
constexpr std::size_t kHost = std::size_t{32} << 20;
constexpr std::size_t kLongCopy = std::size_t{256} << 20;  ///< five milliseconds at 50 GB/s
constexpr unsigned kCachedWords = 1U << 22;                ///< 16 MiB: inside the L2 cache
constexpr unsigned kBlocks = 1056, kThreads = 1024;
constexpr unsigned kPortable = 1;  // CU_MEMHOSTALLOC_PORTABLE
constexpr int kHostMemory = 1, kDeviceMemory = 2;

}  // namespace

Result<std::unique_ptr<Enemies>> Enemies::make(const OpenGpu& gpu, OfCopies more) {
  std::unique_ptr<Enemies> made(new Enemies(gpu));
  if (auto problem = made->prepare()) return *problem;
  if (more == OfCopies::kNo) return made;
  if (auto problem = made->add_enemies_of_copies()) return *problem;
  return made;
}

Enemies::~Enemies() {
  for (const Enemy& enemy : all_) driver_.graphs->graph_destroy(enemy.graph);
  if (memory_ != 0) driver_.base->memory_free(memory_);
  if (host_ != nullptr) driver_.base->host_free(host_);
  if (long_host_ != nullptr) driver_.base->host_free(long_host_);
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
    char* const host = static_cast<char*>(host_) + (up ? 0 : kHost / 2);
    if (auto made = add_copy(*graph, up, host, kHost / 2, nullptr); !made) return made.error();
  }
  return std::nullopt;
}

/// A copy between `host` and as much of the memory on the device. @param after null: at once
Result<GraphNode> Enemies::add_copy(Graph graph, bool to_device, void* host, std::size_t bytes,
                                    GraphNode after) {
  CopyNode copy;
  CopySide& of_host = to_device ? copy.from : copy.to;
  CopySide& of_device = to_device ? copy.to : copy.from;
  of_host.memory = kHostMemory;
  of_host.host = host;
  of_device.memory = kDeviceMemory;
  of_device.device = memory_ + (to_device ? 0 : kMemory / 2);
  copy.width_bytes = bytes;
  GraphNode made = nullptr;
  if (auto problem = driver_.failed(
          driver_.graphs->copy_add(&made, graph, &after, after == nullptr ? 0 : 1, &copy, context_),
          "make an enemy")) {
    return *problem;
  }
  return made;
}

std::optional<Error> Enemies::add_enemies_of_copies() {
  if (auto problem = driver_.failed(driver_.base->host_allocate(&long_host_, kLongCopy, kPortable),
                                    "pin memory")) {
    return problem;
  }
  pageable_.assign(kHost, 0);
  const Copying all[] = {
      {.name = "copies to the device, long", .bytes = kLongCopy, .in_turn = 2},
      {.name = "copies to the host, long",
       .to_device = false,
       .to_host = true,
       .bytes = kLongCopy,
       .in_turn = 2},
      {.name = "copies both ways, 64 KiB", .to_host = true, .bytes = 64 << 10, .in_turn = 200},
      {.name = "copies to the device, four at a time",
       .bytes = kLongCopy / 4,
       .in_turn = 2,
       .at_a_time = 4},
      {.name = "copies to the host, four at a time",
       .to_device = false,
       .to_host = true,
       .bytes = kLongCopy / 4,
       .in_turn = 2,
       .at_a_time = 4},
      {.name = "copies both ways, pageable",
       .to_host = true,
       .bytes = kHost,
       .in_turn = 2,
       .pageable = true},
  };
  for (const Copying& copying : all) {
    if (auto problem = add(copying)) return problem;
  }
  return std::nullopt;
}

std::optional<Error> Enemies::add(const Copying& copying) {
  const auto graph = add_graph(copying.name);
  if (!graph) return graph.error();
  all_.back().of_copies = true;
  char* const host = copying.pageable ? pageable_.data() : static_cast<char*>(long_host_);
  std::optional<Error> problem;
  for (const bool to_device : {true, false}) {
    if (to_device ? !copying.to_device : !copying.to_host) continue;
    for (int lane = 0; lane < copying.at_a_time; ++lane) {
      GraphNode after = nullptr;
      for (int turn = 0; turn < copying.in_turn && !problem; ++turn) {
        const auto made =
            add_copy(*graph, to_device, host + copying.bytes * static_cast<std::size_t>(lane),
                     copying.bytes, after);
        if (made) after = *made;
        if (!made) problem = made.error();
      }
    }
  }
  // Not every driver takes ordinary memory in a graph.
  if (!copying.pageable || (!problem && can_run(*graph))) return problem;
  driver_.graphs->graph_destroy(*graph);
  all_.pop_back();
  return std::nullopt;
}

bool Enemies::can_run(Graph graph) const {
  GraphExec exec = nullptr;
  if (driver_.graphs->instantiate(&exec, graph, 0) != 0) return false;
  driver_.graphs->exec_destroy(exec);
  return true;
}

}  // namespace tactus::runtime::driver
