#include "tactus/generate/shares.hpp"

#include <algorithm>

namespace tactus {

std::vector<double> split_uniformly(double total, std::size_t count, Random& random) {
  std::vector<double> points = {0.0};
  for (std::size_t i = 1; i < count; ++i) points.push_back(random.real());
  points.push_back(1.0);
  std::sort(points.begin(), points.end());
  std::vector<double> shares;
  for (std::size_t i = 0; i < count; ++i) shares.push_back((points[i + 1] - points[i]) * total);
  return shares;
}

}  // namespace tactus
