#pragma once

#include <cmath>

#include "examples/hog/hog.hpp"

/// The steps that both sides compute element by element, so that they differ only in rounding.
namespace hog {

/// Pixel (x, y) of a level, bilinear from the picture.
HOG_BOTH inline float resized(const float* from, int width, int height, const Level& level, int x,
                              int y) {
  const float fx =
      (static_cast<float>(x) + 0.5F) * static_cast<float>(width) / static_cast<float>(level.width) -
      0.5F;
  const float fy = (static_cast<float>(y) + 0.5F) * static_cast<float>(height) /
                       static_cast<float>(level.height) -
                   0.5F;
  const auto clamp = [](int value, int most) {
    return value < 0 ? 0 : value > most ? most : value;
  };
  const int x0 = static_cast<int>(fx < 0 ? 0 : fx), y0 = static_cast<int>(fy < 0 ? 0 : fy);
  const float ax = fx < 0 ? 0 : fx - static_cast<float>(x0);
  const float ay = fy < 0 ? 0 : fy - static_cast<float>(y0);
  const auto at = [&](int px, int py) {
    return from[clamp(py, height - 1) * width + clamp(px, width - 1)];
  };
  const float top = at(x0, y0) * (1 - ax) + at(x0 + 1, y0) * ax;
  const float bottom = at(x0, y0 + 1) * (1 - ax) + at(x0 + 1, y0 + 1) * ax;
  return top * (1 - ay) + bottom * ay;
}

/// Length and direction (in bins, 0 .. kBins) of the gradient at (x, y).
HOG_BOTH inline void gradient(const float* image, const Level& level, int x, int y,
                              float* magnitude, float* angle) {
  const int left = x > 0 ? x - 1 : x, right = x + 1 < level.width ? x + 1 : x;
  const int above = y > 0 ? y - 1 : y, below = y + 1 < level.height ? y + 1 : y;
  const float dx = image[y * level.width + right] - image[y * level.width + left];
  const float dy = image[below * level.width + x] - image[above * level.width + x];
  *magnitude = sqrtf(dx * dx + dy * dy);
  constexpr float kPi = 3.14159265358979F;
  float turn = atan2f(dy, dx) / kPi;  // -1 .. 1; opposite directions are one
  if (turn < 0) turn += 1;
  *angle = turn * static_cast<float>(kBins);
}

/// The histogram of a cell: every pixel votes for the two bins nearest to its direction.
HOG_BOTH inline void histogram(const float* magnitude, const float* angle, const Level& level,
                               int cell, float* bins) {
  const int cx = cell % level.cells_wide(), cy = cell / level.cells_wide();
  for (int bin = 0; bin < kBins; ++bin) bins[bin] = 0;
  for (int y = cy * kCell; y < (cy + 1) * kCell; ++y) {
    for (int x = cx * kCell; x < (cx + 1) * kCell; ++x) {
      const float at = angle[y * level.width + x], vote = magnitude[y * level.width + x];
      const int low = static_cast<int>(at);
      const float share = at - static_cast<float>(low);
      bins[low % kBins] += vote * (1 - share);
      bins[(low + 1) % kBins] += vote * share;
    }
  }
}

/// The four histograms of a block, over their length.
HOG_BOTH inline void normalise(const float* cells, const Level& level, int block, float* out) {
  const int bx = block % level.blocks_wide(), by = block / level.blocks_wide();
  float squares = 1e-4F;
  for (int i = 0; i < 4; ++i) {
    const float* bins = cells + ((by + i / 2) * level.cells_wide() + bx + i % 2) * kBins;
    for (int bin = 0; bin < kBins; ++bin) {
      out[i * kBins + bin] = bins[bin];
      squares += bins[bin] * bins[bin];
    }
  }
  const float scale = 1 / sqrtf(squares);
  for (int i = 0; i < kBlock; ++i) out[i] *= scale;
}

/// Feature i of a window.
HOG_BOTH inline float feature(const float* blocks, const Level& level, int window, int i) {
  const int wx = window % level.windows_wide(), wy = window / level.windows_wide();
  const int block = i / kBlock;
  const int bx = wx + block % kBlocksWide, by = wy + block / kBlocksWide;
  return blocks[(by * level.blocks_wide() + bx) * kBlock + i % kBlock];
}

}  // namespace hog
