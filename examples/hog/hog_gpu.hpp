#pragma once

#include <memory>
#include <string>

#include "examples/hog/hog.hpp"
#include "tactus/runtime/api.hpp"

namespace hog {

/// The buffers of one pipeline on the device, and its kernels: for every level s the nodes
/// `resize<s>` (but level 0), `gradient<s>`, `cells<s>`, `blocks<s>`, `score<s>`.
class GpuPipeline {
 public:
  GpuPipeline(const std::vector<float>& image, int width, int height,
              const std::vector<float>& weights);
  ~GpuPipeline();
  GpuPipeline(const GpuPipeline&) = delete;
  GpuPipeline& operator=(const GpuPipeline&) = delete;

  /// Binds its kernels to the nodes of a task.
  void bind(tactus::runtime::Workload& work, const std::string& task) const;
  /// The results of the last run; clears them, so that a run that does nothing is noticed.
  std::array<std::vector<float>, kScales> take_scores();

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace hog
