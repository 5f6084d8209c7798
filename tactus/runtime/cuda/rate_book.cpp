#include "tactus/runtime/cuda/rate_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/base/statistics.hpp"

namespace tactus::runtime::cuda {
namespace {

constexpr double kQuantile = 0.99;

std::string key_of(const GpuInfo& info) {
  return fmt::format("{} {} driver {} cuda {} clocks {}/{} kHz", info.name, info.uuid, info.driver,
                     info.driver_cuda, info.sm_clock_khz, info.memory_clock_khz);
}

double measure_item(Bench& bench, KernelKind kind, const LaunchShape& shape) {
  const auto blocks = static_cast<unsigned>(bench.sms()) * shape.resident;
  constexpr unsigned kItems = 100;
  std::vector<double> samples;
  for (int i = 0; i < 12; ++i) {
    const auto records = bench.run(kind, shape, blocks, blocks * kItems);
    if (i < 2) continue;
    for (const BlockRecord& record : records) {
      if (record.done() == 0) continue;
      samples.push_back(static_cast<double>(record.end - record.start) / record.done());
    }
  }
  if (samples.empty()) throw CudaError("the GPU did no work in a measurement");
  return quantile(std::move(samples), kQuantile);
}

}  // namespace

std::vector<double> measure_gaps(Bench& bench, int repeats) {
  constexpr std::size_t kLength = 40;
  const auto blocks = static_cast<unsigned>(bench.sms());
  const HostArray<BlockRecord> records(kLength * blocks);
  const void* kernel = kernel_of(KernelKind::kCompute);
  const LaunchShape shape = shape_of(SmShare{}, kernel);
  cudaGraph_t made = nullptr;
  check(cudaGraphCreate(&made, 0), "make a graph");
  const Graph graph(made);
  cudaGraphNode_t before = nullptr;
  for (std::size_t i = 0; i < kLength; ++i) {
    BlockView view;
    view.count = blocks * 5;
    view.records = records.on_device() + i * blocks;
    view.limit_ns = 1'000'000'000;
    const float4* arena = bench.arena();
    void* arguments[] = {&view, &arena};
    cudaKernelNodeParams node = {};
    node.func = const_cast<void*>(kernel);
    node.gridDim = dim3(blocks);
    node.blockDim = dim3(shape.threads);
    node.sharedMemBytes = static_cast<unsigned>(shape.shared);
    node.kernelParams = arguments;
    cudaGraphNode_t added = nullptr;
    check(cudaGraphAddKernelNode(&added, graph.get(), &before, i == 0 ? 0 : 1, &node),
          "add a kernel to a graph");
    before = added;
  }
  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph.get(), 0), "make a graph ready");
  const GraphExec exec(ready);
  const Stream stream = make_stream();
  std::vector<double> gaps;
  for (int i = 0; i < repeats + 2; ++i) {
    check(cudaGraphLaunch(exec.get(), stream.get()), "launch a graph");
    check(cudaStreamSynchronize(stream.get()), "finish a graph");
    if (i < 2) continue;
    for (std::size_t k = 1; k < kLength; ++k) {
      std::uint64_t end = 0, start = UINT64_MAX;
      for (std::size_t b = 0; b < blocks; ++b) {
        end = std::max(end, records.items()[(k - 1) * blocks + b].end);
        start = std::min(start, records.items()[k * blocks + b].start);
      }
      gaps.push_back(start > end ? static_cast<double>(start - end) : 0);
    }
  }
  return gaps;
}

CopyTimes measure_copies(cudaMemcpyKind direction, int repeats) {
  constexpr std::size_t kLargest = std::size_t{64} << 20;
  const HostArray<std::byte> host(kLargest);
  const DeviceArray<std::byte> device(kLargest);
  const Stream stream = make_stream();
  const Event begin = make_event(), end = make_event();
  const bool up = direction == cudaMemcpyHostToDevice;
  CopyTimes times;
  for (std::size_t bytes = 4096; bytes <= kLargest; bytes *= 4) {
    std::vector<double> samples;
    for (int i = 0; i < repeats + 2; ++i) {
      check(cudaEventRecord(begin.get(), stream.get()), "time a copy");
      check(cudaMemcpyAsync(up ? device.data() : host.data(), up ? host.data() : device.data(),
                            bytes, direction, stream.get()),
            "copy");
      check(cudaEventRecord(end.get(), stream.get()), "time a copy");
      check(cudaStreamSynchronize(stream.get()), "finish a copy");
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin.get(), end.get()), "time a copy");
      if (i >= 2) samples.push_back(static_cast<double>(ms) * 1e6);
    }
    times.points.emplace_back(static_cast<double>(bytes), quantile(samples, 0.5));
  }
  times.line = gpu::fit_line(times.points);
  return times;
}

RateBook::RateBook(const GpuInfo& info) : info_(info) {
  rates_.key = key_of(info);
  const std::string path = gpu::rates_path(rates_.key);
  if (!path.empty()) {
    if (Result<std::string> text = read_text_file(path)) {
      if (auto kept = gpu::rates_from_json(std::move(*text), rates_.key)) {
        rates_ = std::move(*kept);
        return;
      }
    }
  }
  rates_.gap_ns = quantile(measure_gaps(bench(), 10), kQuantile);
  rates_.to_device = measure_copies(cudaMemcpyHostToDevice, 10).line;
  rates_.to_host = measure_copies(cudaMemcpyDeviceToHost, 10).line;
  changed_ = true;
}

RateBook::~RateBook() { save(); }

double RateBook::item_ns(KernelKind kind, const LaunchShape& shape) {
  const std::string name(to_string(kind));
  if (const auto* known = rates_.find(name, shape.threads, shape.resident)) return known->ns;
  const double ns = measure_item(bench(), kind, shape);
  rates_.items.push_back({name, shape.threads, shape.resident, ns});
  changed_ = true;
  return ns;
}

double RateBook::known_item_ns(KernelKind kind, const LaunchShape& shape) const {
  const std::string name(to_string(kind));
  if (const auto* known = rates_.find(name, shape.threads, shape.resident)) return known->ns;
  double slowest = 0;
  for (const gpu::ItemRate& rate : rates_.items) {
    if (rate.kind == name) slowest = std::max(slowest, rate.ns);
  }
  if (slowest == 0) throw CudaError("no rate of the kernel kind " + name + " is known");
  return slowest;
}

Bench& RateBook::bench() {
  if (!bench_) {
    bench_ = std::make_unique<Bench>(info_.device);
    bench_->warm_up();
  }
  return *bench_;
}

void RateBook::save() {
  const std::string path = gpu::rates_path(rates_.key);
  if (!changed_ || path.empty()) return;
  // If the cache cannot be written, it is only measured again.
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  static_cast<void>(write_text_file(path, gpu::rates_to_json(rates_)));
}

}  // namespace tactus::runtime::cuda
