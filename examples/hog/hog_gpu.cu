#include <cuda_runtime_api.h>

#include <stdexcept>

#include "examples/hog/hog_gpu.hpp"
#include "examples/hog/steps.hpp"

namespace hog {
namespace {

using tactus::runtime::make_kernel;
using tactus::runtime::UserKernel;

// A block fills an SM if there is enough to do; there are too few cells for that.
constexpr unsigned kPixelThreads = 1024, kCellThreads = 128, kScoreThreads = 512;

/// The element that falls to a thread.
__device__ int element(std::uint32_t block) {
  return static_cast<int>(block * blockDim.x + threadIdx.x);
}
std::int64_t blocks_for(int count, unsigned threads) {
  return (count + static_cast<int>(threads) - 1) / static_cast<int>(threads);
}

struct Resize {
  const float* from;
  float* to;
  int width, height;
  Level level;
  __device__ void operator()(std::uint32_t block) const {
    const int i = element(block);
    if (i >= level.pixels()) return;
    to[i] = resized(from, width, height, level, i % level.width, i / level.width);
  }
};

struct Gradient {
  const float* image;
  float *magnitude, *angle;
  Level level;
  __device__ void operator()(std::uint32_t block) const {
    const int i = element(block);
    if (i >= level.pixels()) return;
    gradient(image, level, i % level.width, i / level.width, magnitude + i, angle + i);
  }
};

struct Cells {
  const float *magnitude, *angle;
  float* cells;
  Level level;
  __device__ void operator()(std::uint32_t block) const {
    const int i = element(block);
    if (i < level.cells()) histogram(magnitude, angle, level, i, cells + i * kBins);
  }
};

struct Blocks {
  const float* cells;
  float* blocks;
  Level level;
  __device__ void operator()(std::uint32_t block) const {
    const int i = element(block);
    if (i < level.blocks()) normalise(cells, level, i, blocks + i * kBlock);
  }
};

/// One window per block.
struct Score {
  const float *blocks, *weights;
  float* scores;
  Level level;
  __device__ void operator()(std::uint32_t window) const {
    __shared__ float sums[kScoreThreads];
    float sum = 0;
    for (int i = static_cast<int>(threadIdx.x); i < kFeatures; i += kScoreThreads) {
      sum += feature(blocks, level, static_cast<int>(window), i) * weights[i];
    }
    sums[threadIdx.x] = sum;
    for (unsigned half = kScoreThreads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) scores[window] = sums[0];
  }
};

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Device memory, released with its owner.
class Floats {
 public:
  Floats() = default;
  explicit Floats(int count) : count_(static_cast<std::size_t>(count)) {
    check(cudaMalloc(&data_, count_ * sizeof(float)));
    check(cudaMemset(data_, 0, count_ * sizeof(float)));
  }
  explicit Floats(const std::vector<float>& from) : Floats(static_cast<int>(from.size())) {
    check(cudaMemcpy(data_, from.data(), count_ * sizeof(float), cudaMemcpyHostToDevice));
  }
  ~Floats() { cudaFree(data_); }
  Floats(Floats&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(other.count_) {}
  Floats& operator=(Floats&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  float* data() const { return data_; }
  std::vector<float> take() {
    std::vector<float> out(count_);
    check(cudaMemcpy(out.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost));
    check(cudaMemset(data_, 0, count_ * sizeof(float)));
    return out;
  }

 private:
  float* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace

struct GpuPipeline::Buffers {
  int width = 0, height = 0;
  std::array<Level, kScales> levels;
  Floats picture, weights;
  std::array<Floats, kScales> image, magnitude, angle, cells, blocks, scores;
};

GpuPipeline::GpuPipeline(const std::vector<float>& image, int width, int height,
                         const std::vector<float>& weights)
    : buffers_(std::make_unique<Buffers>()) {
  Buffers& b = *buffers_;
  b.width = width;
  b.height = height;
  b.levels = pyramid_of(width, height);
  b.picture = Floats(image);
  b.weights = Floats(weights);
  for (std::size_t s = 0; s < kScales; ++s) {
    const Level& level = b.levels[s];
    b.image[s] = Floats(level.pixels());
    b.magnitude[s] = Floats(level.pixels());
    b.angle[s] = Floats(level.pixels());
    b.cells[s] = Floats(level.cells() * kBins);
    b.blocks[s] = Floats(level.blocks() * kBlock);
    b.scores[s] = Floats(level.windows());
  }
}

GpuPipeline::~GpuPipeline() = default;

void GpuPipeline::bind(tactus::runtime::Workload& work, const std::string& task) const {
  const Buffers& b = *buffers_;
  for (std::size_t s = 0; s < kScales; ++s) {
    const Level& level = b.levels[s];
    const std::string n = std::to_string(s);
    const float* image = s == 0 ? b.picture.data() : b.image[s].data();
    if (s > 0) {
      work.bind(task, "resize" + n,
                make_kernel(Resize{b.picture.data(), b.image[s].data(), b.width, b.height, level},
                            blocks_for(level.pixels(), kPixelThreads), kPixelThreads));
    }
    work.bind(task, "gradient" + n,
              make_kernel(Gradient{image, b.magnitude[s].data(), b.angle[s].data(), level},
                          blocks_for(level.pixels(), kPixelThreads), kPixelThreads));
    work.bind(task, "cells" + n,
              make_kernel(Cells{b.magnitude[s].data(), b.angle[s].data(), b.cells[s].data(), level},
                          blocks_for(level.cells(), kCellThreads), kCellThreads));
    work.bind(task, "blocks" + n,
              make_kernel(Blocks{b.cells[s].data(), b.blocks[s].data(), level},
                          blocks_for(level.blocks(), kCellThreads), kCellThreads));
    work.bind(task, "score" + n,
              make_kernel(Score{b.blocks[s].data(), b.weights.data(), b.scores[s].data(), level},
                          level.windows(), kScoreThreads));
  }
}

std::array<std::vector<float>, kScales> GpuPipeline::take_scores() {
  std::array<std::vector<float>, kScales> scores;
  for (std::size_t s = 0; s < kScales; ++s) scores[s] = buffers_->scores[s].take();
  return scores;
}

}  // namespace hog
