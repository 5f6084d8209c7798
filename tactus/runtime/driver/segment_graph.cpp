#include "tactus/runtime/driver/segment_graph.hpp"

#include <fmt/core.h>

#include "tactus/client.h"

namespace tactus::runtime {
namespace {

constexpr int kMultiprocessorCount = 16;  // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT

int has_ended(void* graph) { return static_cast<driver::PreparedGraph*>(graph)->ended() ? 1 : 0; }

}  // namespace

Result<std::unique_ptr<SegmentGraph>> SegmentGraph::make(const UserGraph& source, int device) {
  const auto gpu = driver::open_gpu(device);
  if (!gpu) return gpu.error();
  std::unique_ptr<SegmentGraph> made(new SegmentGraph(*gpu));
  int sms = 0;
  if (auto problem = gpu->driver.failed(
          gpu->driver.base->device_attribute(&sms, kMultiprocessorCount, gpu->device), "be used")) {
    return *problem;
  }
  const auto mark = driver::load_mark_kernel(gpu->driver);
  if (!mark) return mark.error();
  const driver::SmPartition whole(gpu->driver, sms, gpu->context);
  auto graph = driver::PreparedGraph::make(gpu->driver, source, whole, *mark, 0);
  if (!graph) return graph.error();
  made->graph_ = std::move(*graph);
  return made;
}

Result<SegmentGraph::Seen> SegmentGraph::run(int priority) {
  const GpuSegment segment(priority);
  if (segment.result() < 0) {
    return Error{fmt::format("no segment: {}", tactus_result_text(segment.result()))};
  }
  tactus_checkpoint();
  if (auto problem = graph_->launch()) return *problem;
  // Another thread sees that the GPU is free before this one gets its core again.
  tactus_launched(has_ended, graph_.get());
  if (auto problem = graph_->wait()) return *problem;
  return Seen{segment.result(),
              static_cast<std::int64_t>(graph_->end().time - graph_->start().time)};
}

}  // namespace tactus::runtime
