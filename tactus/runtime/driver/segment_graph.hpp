#pragma once

#include <memory>

#include "tactus/runtime/driver/open_gpu.hpp"
#include "tactus/runtime/driver/prepared_graph.hpp"

namespace tactus::runtime {

/// A graph of the user as the GPU segment of a task under the arbiter (plans of gcaps): the whole GPU
/// is its own while no more urgent process wants it.
///
///     auto detect = SegmentGraph::make(UserGraph{.graph = captured});
///     for (;;) { wait_for_frame(); (*detect)->run(70); }                // priority of the segment
///
/// The tiers gate and yield take it off at its end only; the tier channel at any moment
/// (docs/use/arbiter.md). Used by one thread at a time.
class SegmentGraph {
 public:
  static Result<std::unique_ptr<SegmentGraph>> make(const UserGraph& source, int device = 0);

  /// What was seen of one segment.
  struct Seen {
    int result = 0;       ///< of `tactus_segment_begin`: TACTUS_RUNNING, TACTUS_UNARBITRATED, ...
    std::int64_t ns = 0;  ///< from start to end of the graph, on the device's timer
  };
  /// Begins the segment, runs the graph, waits for its end, ends the segment.
  Result<Seen> run(int priority);
  const std::string& how() const { return graph_->how(); }

 private:
  explicit SegmentGraph(driver::OpenGpu gpu) : gpu_(gpu) {}

  driver::OpenGpu gpu_;
  std::unique_ptr<driver::PreparedGraph> graph_;
};

}  // namespace tactus::runtime
