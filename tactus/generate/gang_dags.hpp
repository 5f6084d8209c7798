#pragma once

#include <span>
#include <vector>

#include "tactus/base/random.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/model/system.hpp"

/// What the recipes of the gang paper share: Erdos-Renyi graphs, and tasks on CPU and GPU.
namespace tactus::gang {

inline constexpr Parameter kNodesMin = {"nodes-min", "20", "fewest nodes of a graph"};
inline constexpr Parameter kNodesMax = {"nodes-max", "120", "most nodes of a graph"};
inline constexpr Parameter kEdgeProbability = {
    "edge-probability", "0.3",
    "of an edge from a node to a later one; draw: one of 0.1, 0.3, 0.5, 0.7, 0.9 for a system"};

/// A weakly connected graph whose edges lead from smaller to larger indices, with execution times.
struct RandomGraph {
  Graph graph;
  std::vector<Time> wcet;
  Time length;  ///< of the longest path
};

/// The probability of an edge, the same for all graphs of a system. Draws it where the settings say
/// so.
double edge_probability(Settings& settings, Random& random);

/// Says how large `graphs` graphs can get, each node of which becomes up to `parts`.
void expect_graphs(Settings& settings, double graphs, double parts);

/// Draws: the number of nodes; an execution time of 50 to 100 units per node; for every pair of
/// nodes, in lexicographic order, whether there is an edge; for every further component two nodes
/// to join.
RandomGraph draw_graph(Settings& settings, Random& random, double probability);

/// One of a few values.
std::int64_t draw_one_of(std::span<const std::int64_t> values, Random& random);

/// A task of Fig. 9 and 10, with its coarse utilisation times its period.
struct CpuGpuTask {
  Task task;
  Time length, volume;
};

inline constexpr Parameter kGpuShare = {
    "gpu-share", "moderate",
    "nodes that use the GPU: small 1-20 %, moderate 20-50 %, heavy 50-80 %"};
inline constexpr Parameter kGranularity = {
    "granularity", "fine",
    "fine: cpu, blocks, cpu for a node that uses the GPU; coarse: one cpu node"};
inline constexpr Parameter kBlockLength = {
    "block-length", "max",
    "of an access whose drawn length is its longest: max, or max/rho, shared by the rho SMs that "
    "it can fill"};
inline constexpr Parameter kCpus = {"cpus", "0", "cores; 0 draws one of 8, 16, 24, 32"};
inline constexpr Parameter kSms = {"sms", "0", "SMs of 2048 threads; 0 draws one of 16, 32, 48"};

/// Elements `cpu` and `gpu`. Draws the cores, then the SMs, if the settings do not give them.
std::vector<Element> draw_cpu_gpu(Settings& settings, Random& random);

/// Draws: a graph; the share of nodes that use the GPU; which; for each of those its access length
/// of 0.1 to 0.7 of its time, the SMs it can fill, and its block size. The CPU time around an
/// access is split in halves, and there are as many blocks as fit the SMs. A block takes as long as
/// the access or, with `max/rho`, where that is the length on one SM, its part on all of them.
/// Period and deadline are left to the caller.
CpuGpuTask draw_cpu_gpu_task(Settings& settings, Random& random, std::int64_t sms,
                             double probability);

}  // namespace tactus::gang
