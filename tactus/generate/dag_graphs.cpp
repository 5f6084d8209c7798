#include "tactus/generate/dag_graphs.hpp"

#include <algorithm>

namespace tactus::dag {

Shape layered(const LayeredOptions& options, Random& random) {
  const auto depth = random.integer(options.depth_min, options.depth_max);
  std::vector<NodeIndex> starts = {1};  // of the inner layers; node 0 is the source
  for (std::int64_t layer = 2; layer < depth; ++layer) {
    starts.push_back(starts.back() + static_cast<NodeIndex>(random.integer(2, options.widest)));
  }
  const NodeIndex sink = starts.back();

  Shape out;
  out.size = sink + 1;
  // In sorted order, because a graph is built faster from it: the source's edges, which are known
  // last, then node by node.
  std::vector<Edge> from_source, inner;
  std::vector<std::uint8_t> has_previous;
  const std::size_t layers = starts.size() - 1;
  double pairs = 0;
  for (std::size_t layer = 0; layer + 1 < layers; ++layer) {
    pairs += static_cast<double>(starts[layer + 1] - starts[layer]) *
             static_cast<double>(starts[layer + 2] - starts[layer + 1]);
  }
  inner.reserve(static_cast<std::size_t>(options.probability * pairs * 1.25) + out.size);
  if (layers == 0) from_source.emplace_back(0, sink);
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const NodeIndex begin = starts[layer], end = starts[layer + 1];
    if (layer == 0) has_previous.assign(end - begin, 0);
    for (NodeIndex node = begin; node < end; ++node) {
      if (has_previous[node - begin] == 0) from_source.emplace_back(0, node);
    }
    const NodeIndex next_end = layer + 1 < layers ? starts[layer + 2] : end;
    has_previous.assign(next_end - end, 0);
    for (NodeIndex node = begin; node < end; ++node) {
      // Without a branch per edge: every edge is written, and overwritten if it is not kept.
      const std::size_t before = inner.size();
      inner.resize(before + (next_end - end));
      std::size_t kept = before;
      for (NodeIndex next = end; next < next_end; ++next) {
        const bool joined = random.chance(options.probability);
        inner[kept] = {node, next};
        kept += joined ? 1 : 0;
        has_previous[next - end] |= static_cast<std::uint8_t>(joined);
      }
      inner.resize(kept);
      if (inner.size() == before) inner.emplace_back(node, sink);
    }
  }
  out.edges = std::move(from_source);
  out.edges.insert(out.edges.end(), inner.begin(), inner.end());
  return out;
}

Shape laplace(NodeIndex k) {
  Shape out;
  out.size = k * k;
  NodeIndex begin = 0;
  for (NodeIndex layer = 1; layer < 2 * k - 1; ++layer) {  // the layer below has number layer + 1
    const NodeIndex width = std::min(layer, 2 * k - layer);
    const NodeIndex next = begin + width;
    for (NodeIndex i = 0; i < width; ++i) {
      if (layer < k) {
        out.edges.emplace_back(begin + i, next + i);
        out.edges.emplace_back(begin + i, next + i + 1);
      } else {
        if (i > 0) out.edges.emplace_back(begin + i, next + i - 1);
        if (i + 1 < width) out.edges.emplace_back(begin + i, next + i);
      }
    }
    begin = next;
  }
  return out;
}

Shape gauss(NodeIndex m) {
  Shape out;
  NodeIndex row = 0;  // T(k, k)
  for (NodeIndex k = 1; k < m; ++k) {
    const NodeIndex length = m - k + 1;
    for (NodeIndex j = 1; j < length; ++j) {
      out.edges.emplace_back(row, row + j);                                  // T(k,k) -> T(k,j)
      if (k + 1 < m) out.edges.emplace_back(row + j, row + length + j - 1);  // -> T(k+1,j)
    }
    row += length;
  }
  out.size = row;
  return out;
}

Shape stencil(NodeIndex width, NodeIndex steps) {
  Shape out;
  out.size = width * steps + 2;
  const NodeIndex sink = out.size - 1;
  for (NodeIndex i = 0; i < width; ++i) {
    out.edges.emplace_back(0, 1 + i);
    out.edges.emplace_back(sink - width + i, sink);
  }
  for (NodeIndex step = 1; step < steps; ++step) {
    const NodeIndex begin = 1 + (step - 1) * width, next = begin + width;
    for (NodeIndex i = 0; i < width; ++i) {
      if (i > 0) out.edges.emplace_back(begin + i, next + i - 1);
      out.edges.emplace_back(begin + i, next + i);
      if (i + 1 < width) out.edges.emplace_back(begin + i, next + i + 1);
    }
  }
  return out;
}

std::vector<std::int64_t> draw_loads(NodeIndex n, std::int64_t mean, bool unit_ends,
                                     Random& random) {
  std::vector<std::int64_t> loads(n);
  const NodeIndex first = unit_ends ? 1 : 0, last = unit_ends ? n - 1 : n;
  std::int64_t sum = 0;
  for (NodeIndex node = first; node < last; ++node) {
    loads[node] = static_cast<std::int64_t>(random.next() >> 32) + 1;  // in units of 2^-32
    sum += loads[node];
  }
  const std::int64_t total = mean * n - (unit_ends ? 2 : 0);
  for (NodeIndex node = first; node < last; ++node) {
    const auto doubled = static_cast<__int128>(loads[node]) * total * 2 + sum;
    const auto rounded = doubled <= INT64_MAX
                             ? static_cast<std::int64_t>(doubled) / (2 * sum)
                             : static_cast<std::int64_t>(doubled / (2 * __int128{sum}));
    loads[node] = std::max<std::int64_t>(1, rounded);
  }
  if (unit_ends) loads.front() = loads.back() = 1;
  return loads;
}

}  // namespace tactus::dag
