// What the runtime costs beside the kernels: a graph prepared and replayed through `Device`,
// against CUDA graphs of the same kernels written by hand, and where the difference comes from. For
// bench/results/h200.
#include <cstdio>
#include <cstdlib>

#include "tactus/host/clock.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/cuda/bench.hpp"
#include "tactus/runtime/cuda/completions.hpp"
#include "tactus/runtime/cuda/info.hpp"
#include "tactus/runtime/cuda/rate_book.hpp"

namespace tactus::runtime {
namespace {

constexpr int kRuns = 100, kWarm = 5;

void stop(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  std::exit(3);
}

/// Layers of `width` kernels side by side, each layer after all of the one before.
std::vector<GraphNode> layered(int layers, int width, std::int64_t blocks, Time each) {
  std::vector<GraphNode> nodes;
  for (int layer = 0; layer < layers; ++layer) {
    for (int i = 0; i < width; ++i) {
      GraphNode& node = nodes.emplace_back();
      node.kernel = Kernel();
      node.kernel->blocks = blocks;
      node.kernel->load = node.kernel->whole = each * blocks;
      for (int before = 0; layer > 0 && before < width; ++before) {
        node.after.push_back(static_cast<std::uint32_t>((layer - 1) * width + before));
      }
    }
  }
  return nodes;
}

template <typename Work>
SampleStatistics sampled(Work work) {
  std::vector<double> samples;
  for (int i = 0; i < kRuns + kWarm; ++i) {
    const std::int64_t begin = host::now_ns();
    work();
    if (i >= kWarm) samples.push_back(static_cast<double>(host::now_ns() - begin));
  }
  return statistics_of(std::move(samples));
}

SampleStatistics through_device(Device& device, GraphId graph) {
  return sampled([&] {
    if (const auto problem = device.launch(graph, 1)) stop(*problem);
    const auto done = device.wait(std::nullopt);
    if (!done) stop(done.error());
    if (done->front().failed) stop(Error{done->front().problem});
  });
}

/// A graph of the same kernels and edges, with the plain runtime API: nobody reads what the blocks
/// say of themselves.
class ByHand {
 public:
  ByHand(const std::vector<GraphNode>& nodes, cuda::RateBook& rates, const float4* arena,
         BlockRecord* records) {
    using namespace cuda;
    const void* function = kernel_of(KernelKind::kCompute);
    const LaunchShape shape = shape_of(SmShare{}, function);
    cudaGraph_t made = nullptr;
    check(cudaGraphCreate(&made, 0), "make a graph");
    const cuda::Graph graph(made);
    std::vector<cudaGraphNode_t> added;
    for (const GraphNode& node : nodes) {
      BlockView view;
      view.records = records;
      view.limit_ns = 1'000'000'000;
      view.count = static_cast<std::uint32_t>(
          gpu::items_for(static_cast<double>(node.kernel->load.ns()), node.kernel->blocks,
                         rates.item_ns(KernelKind::kCompute, shape), rates.rates().gap_ns));
      if (records != nullptr) records += node.kernel->blocks;
      void* arguments[] = {&view, &arena};
      cudaKernelNodeParams launch = {};
      launch.func = const_cast<void*>(function);
      launch.gridDim = dim3(static_cast<unsigned>(node.kernel->blocks));
      launch.blockDim = dim3(shape.threads);
      launch.sharedMemBytes = static_cast<unsigned>(shape.shared);
      launch.kernelParams = arguments;
      std::vector<cudaGraphNode_t> after;
      for (const std::uint32_t before : node.after) after.push_back(added[before]);
      cudaGraphNode_t one = nullptr;
      check(cudaGraphAddKernelNode(&one, made, after.data(), after.size(), &launch),
            "add a kernel");
      added.push_back(one);
    }
    cudaGraphExec_t ready = nullptr;
    check(cudaGraphInstantiate(&ready, made, 0), "make a graph ready");
    exec_ = GraphExec(ready);
    check(cudaGraphUpload(ready, lane_.stream()), "upload a graph");
  }

  /// To the end as the driver says it, or as a word that the stream writes.
  SampleStatistics run(bool by_word) {
    return sampled([&] {
      cuda::check(cudaGraphLaunch(exec_.get(), lane_.stream()), "launch a graph");
      if (!by_word) return cuda::check(cudaStreamSynchronize(lane_.stream()), "finish a graph");
      lane_.finish(lane_.mark());
    });
  }

 private:
  cuda::Lane lane_{cuda::make_stream(), 1};
  cuda::GraphExec exec_;
};

int run() {
  const auto info = cuda::gpu_info();
  if (!info) stop(info.error());
  const System system = *read_system(R"({"tactus": 1, "platform": {"elements": [
    {"name": "gpu", "kind": "gpu", "units": 8}]},
    "tasks": [{"name": "t", "nodes": [{"name": "k", "on": "gpu", "load": 1}]}]})")
                             .system;
  std::printf("%s, driver %s; %d runs each; us, launch to end known; p50 / p99\n",
              info->name.c_str(), info->driver.c_str(), kRuns);
  struct Case {
    const char* name;
    int layers, width;
    std::int64_t blocks;
    Time each;
  };
  for (const Case& shape : {Case{"chain of 20, 200 us", 20, 1, 132, Time::from_us(200)},
                            Case{"chain of 20, 50 us", 20, 1, 132, Time::from_us(50)},
                            Case{"10 x 4, 100 us", 10, 4, 33, Time::from_us(100)},
                            Case{"chain of 20, 10 us", 20, 1, 132, Time::from_us(10)}}) {
    auto nodes = layered(shape.layers, shape.width, std::min(shape.blocks, info->sms), shape.each);
    auto device = open_backend("cuda", system, {});
    if (!device) stop(device.error());
    const auto graph = (*device)->prepare(nodes, Chaining::kGraph);
    if (!graph) stop(graph.error());
    if (const auto problem = (*device)->start()) stop(*problem);
    cuda::RateBook rates(*info);
    const cuda::DeviceArray<float4> arena(cuda::kArenaBytes / sizeof(float4));
    std::size_t blocks = 0;
    for (const GraphNode& node : nodes) blocks += static_cast<std::size_t>(node.kernel->blocks);
    const cuda::HostArray<BlockRecord> on_host(blocks);
    const cuda::DeviceArray<BlockRecord> on_device(blocks);
    ByHand bare(nodes, rates, arena.data(), nullptr);
    ByHand telling(nodes, rates, arena.data(), on_host.on_device());
    ByHand keeping(nodes, rates, arena.data(), on_device.data());
    // The clocks settle in the first round; the second counts.
    SampleStatistics plain, told, kept, word, ours;
    for (int round = 0; round < 2; ++round) {
      plain = bare.run(false);
      told = telling.run(false);
      kept = keeping.run(false);
      word = telling.run(true);
      ours = through_device(**device, *graph);
    }
    std::printf("%s\n", shape.name);
    const auto line = [&](const char* what, const SampleStatistics& seen) {
      std::printf("  %-48s %8.1f / %8.1f  %+6.2f %%\n", what, seen.p50 / 1e3, seen.p99 / 1e3,
                  100 * (seen.p50 / plain.p50 - 1));
    };
    line("by hand", plain);
    line("by hand, blocks tell what they did (to the host)", told);
    line("by hand, the same, to device memory", kept);
    line("by hand, telling, end seen by a word", word);
    line("tactus", ours);
    std::printf("  tactus against the same kernels by hand: %+.2f %%\n",
                100 * (ours.p50 / told.p50 - 1));
  }
  return 0;
}

}  // namespace
}  // namespace tactus::runtime

int main() { return tactus::runtime::run(); }
