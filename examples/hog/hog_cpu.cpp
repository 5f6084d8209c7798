#include <algorithm>
#include <numeric>

#include "examples/hog/steps.hpp"

namespace hog {
namespace {

constexpr int kFigureWide = kWindowWide * kCell, kFigureHigh = kWindowHigh * kCell;

/// A head, a body and two legs, bright on dark.
bool in_figure(int x, int y) {
  const float u = static_cast<float>(x) / kFigureWide - 0.5F;
  const float v = static_cast<float>(y) / kFigureHigh;
  const float head = u * u / 0.012F + (v - 0.17F) * (v - 0.17F) / 0.004F;
  const bool body = v > 0.24F && v < 0.6F && std::abs(u) < 0.2F - 0.15F * (v - 0.24F);
  const bool legs =
      v >= 0.6F && v < 0.93F && std::abs(std::abs(u) - 0.05F - 0.25F * (v - 0.6F)) < 0.05F;
  return head < 1 || body || legs;
}

LevelResult compute_level(std::vector<float> image, const Level& level,
                          const std::vector<float>& weights) {
  LevelResult result;
  result.image = std::move(image);
  result.magnitude.resize(result.image.size());
  result.angle.resize(result.image.size());
  for (int i = 0; i < level.pixels(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    gradient(result.image.data(), level, i % level.width, i / level.width, &result.magnitude[at],
             &result.angle[at]);
  }
  result.cells.resize(static_cast<std::size_t>(level.cells() * kBins));
  for (int i = 0; i < level.cells(); ++i) {
    histogram(result.magnitude.data(), result.angle.data(), level, i,
              &result.cells[static_cast<std::size_t>(i * kBins)]);
  }
  result.blocks.resize(static_cast<std::size_t>(level.blocks() * kBlock));
  for (int i = 0; i < level.blocks(); ++i) {
    normalise(result.cells.data(), level, i, &result.blocks[static_cast<std::size_t>(i * kBlock)]);
  }
  if (weights.empty()) return result;
  for (int window = 0; window < level.windows(); ++window) {
    float score = 0;
    for (int i = 0; i < kFeatures; ++i) {
      score +=
          feature(result.blocks.data(), level, window, i) * weights[static_cast<std::size_t>(i)];
    }
    result.scores.push_back(score);
  }
  return result;
}

}  // namespace

std::array<Level, kScales> pyramid_of(int width, int height) {
  std::array<Level, kScales> levels;
  float scale = 1;
  for (Level& level : levels) {
    level = {static_cast<int>(static_cast<float>(width) / scale),
             static_cast<int>(static_cast<float>(height) / scale)};
    scale *= 1.2F;
  }
  return levels;
}

std::vector<float> picture(int width, int height, int x, int y) {
  std::vector<float> image(static_cast<std::size_t>(width * height));
  std::uint32_t noise = 12345;
  for (int py = 0; py < height; ++py) {
    for (int px = 0; px < width; ++px) {
      noise = noise * 1664525U + 1013904223U;
      float value = 60 + 20 * std::sin(static_cast<float>(px) * 0.031F) *
                             std::cos(static_cast<float>(py) * 0.023F);
      value += static_cast<float>(noise >> 24) / 32;
      if ((px / 90 + py / 70) % 3 == 0) value += 25;  // walls, that also have edges
      const bool near = px >= x && px < x + kFigureWide && py >= y && py < y + kFigureHigh;
      if (near && in_figure(px - x, py - y)) value = 200;
      image[static_cast<std::size_t>(py * width + px)] = value;
    }
  }
  return image;
}

std::vector<float> weights() {
  const Level level{kFigureWide, kFigureHigh};
  std::vector<float> image(static_cast<std::size_t>(level.pixels()));
  for (int i = 0; i < level.pixels(); ++i) {
    image[static_cast<std::size_t>(i)] =
        in_figure(i % level.width, i / level.width) ? 200.0F : 60.0F;
  }
  std::vector<float> all = compute_level(std::move(image), level, {}).blocks;
  const float mean = std::accumulate(all.begin(), all.end(), 0.0F) / static_cast<float>(all.size());
  for (float& value : all) value -= mean;
  return all;
}

std::array<LevelResult, kScales> compute(const std::vector<float>& image, int width, int height,
                                         const std::vector<float>& weights) {
  const auto levels = pyramid_of(width, height);
  std::array<LevelResult, kScales> results;
  for (std::size_t s = 0; s < kScales; ++s) {
    std::vector<float> scaled = image;
    if (s > 0) {
      scaled.resize(static_cast<std::size_t>(levels[s].pixels()));
      for (int i = 0; i < levels[s].pixels(); ++i) {
        scaled[static_cast<std::size_t>(i)] = resized(image.data(), width, height, levels[s],
                                                      i % levels[s].width, i / levels[s].width);
      }
    }
    results[s] = compute_level(std::move(scaled), levels[s], weights);
  }
  return results;
}

Best best_of(const std::array<Level, kScales>& levels,
             const std::array<std::vector<float>, kScales>& scores) {
  Best best;
  best.score = -1e30F;
  for (std::size_t s = 0; s < kScales; ++s) {
    for (std::size_t i = 0; i < scores[s].size(); ++i) {
      if (scores[s][i] <= best.score) continue;
      best = {static_cast<int>(s), static_cast<int>(i) % levels[s].windows_wide(),
              static_cast<int>(i) / levels[s].windows_wide(), scores[s][i]};
    }
  }
  return best;
}

}  // namespace hog
