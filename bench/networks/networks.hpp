#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

/// Stand-ins for captured networks, and for the work that disturbs them, as CUDA graphs captured on
/// the whole GPU: chains of kernels and memsets like those of a network.
namespace networks {

/// One captured graph, with the memory it works on.
class Network {
 public:
  enum class Kind {
    kCompute,  ///< arithmetic in registers
    kMemory,   ///< streams through memory, with memsets in between
    kMixed,    ///< both in turn
    // Enemies: they never end by themselves soon, and are best effort.
    kEnemyCompute,
    kEnemyStreaming,
    kEnemyAtomics,
  };
  /// @param kernels  in the chain; each does about as much as a layer
  Network(Kind kind, int kernels);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  cudaGraph_t graph() const { return graph_; }
  /// A sum over its output: the same after every run from the same start.
  std::uint64_t checksum() const;
  void clear();

 private:
  void enqueue(cudaStream_t stream) const;

  Kind kind_;
  int kernels_;
  float* data_ = nullptr;
  unsigned* words_ = nullptr;
  cudaGraph_t graph_ = nullptr;
};

}  // namespace networks
