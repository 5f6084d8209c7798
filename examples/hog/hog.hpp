#pragma once

#include <array>
#include <cstdint>
#include <vector>

#ifdef __CUDACC__
#define HOG_BOTH __host__ __device__
#else
#define HOG_BOTH
#endif

/// HOG pedestrian features (Dalal and Triggs, CVPR 2005) on an image pyramid: gradients, histograms
/// of cells, normalised blocks, a linear score for every window. This part does not use a GPU.
namespace hog {

constexpr int kScales = 5;
constexpr int kCell = 8;                          // pixels per side
constexpr int kBins = 9;                          // of unsigned orientation
constexpr int kBlock = 4 * kBins;                 // 2 x 2 cells
constexpr int kWindowWide = 8, kWindowHigh = 16;  // in cells: 64 x 128 pixels
constexpr int kBlocksWide = kWindowWide - 1, kBlocksHigh = kWindowHigh - 1;
constexpr int kFeatures = kBlocksWide * kBlocksHigh * kBlock;

/// The size of one level of the pyramid and of what is computed from it.
struct Level {
  int width = 0, height = 0;  // pixels
  HOG_BOTH int cells_wide() const { return width / kCell; }
  HOG_BOTH int cells_high() const { return height / kCell; }
  HOG_BOTH int blocks_wide() const { return cells_wide() - 1; }
  HOG_BOTH int blocks_high() const { return cells_high() - 1; }
  HOG_BOTH int windows_wide() const { return cells_wide() - kWindowWide + 1; }
  HOG_BOTH int windows_high() const { return cells_high() - kWindowHigh + 1; }
  HOG_BOTH int pixels() const { return width * height; }
  HOG_BOTH int cells() const { return cells_wide() * cells_high(); }
  HOG_BOTH int blocks() const { return blocks_wide() * blocks_high(); }
  HOG_BOTH int windows() const { return windows_wide() * windows_high(); }
};

/// Five levels, each 1/1.2 of the one before.
std::array<Level, kScales> pyramid_of(int width, int height);

/// A grey picture with a pedestrian-like figure of 64 x 128 pixels at (x, y), and clutter.
std::vector<float> picture(int width, int height, int x, int y);

/// A linear classifier for that figure: its own features, without their mean.
std::vector<float> weights();

/// Everything computed for one level.
struct LevelResult {
  std::vector<float> image, magnitude, angle, cells, blocks, scores;
};

/// The whole pyramid on the CPU.
std::array<LevelResult, kScales> compute(const std::vector<float>& image, int width, int height,
                                         const std::vector<float>& weights);

/// The window with the highest score: level, and its corner in cells.
struct Best {
  int level = 0, x = 0, y = 0;
  float score = 0;
};
Best best_of(const std::array<Level, kScales>& levels,
             const std::array<std::vector<float>, kScales>& scores);

}  // namespace hog
