#include <cstdio>
#include <cstdlib>

#include "bench/networks/networks.hpp"

namespace networks {
namespace {

constexpr std::size_t kFloats = std::size_t{1} << 23;       // 32 MiB
constexpr std::size_t kEnemyFloats = std::size_t{1} << 26;  // 256 MiB: more than the caches hold
constexpr int kThreads = 256, kBlocks = 264;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(3);
}

__global__ void arithmetic(float* data, int rounds) {
  float x = data[blockIdx.x * blockDim.x + threadIdx.x];
  for (int i = 0; i < rounds; ++i) x = x * 0.999f + 0.125f;
  data[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void streaming(float4* data, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    float4 x = data[i];
    x.x += 1;
    x.w += 2;
    data[i] = x;
  }
}

__global__ void atomics(unsigned* words, int rounds) {
  unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761U;
  for (int i = 0; i < rounds; ++i) {
    at = at * 1664525U + 1013904223U;
    atomicAdd(words + (at >> 14) % 65536, 1U);
  }
}

}  // namespace

Network::Network(Kind kind, int kernels) : kind_(kind), kernels_(kernels) {
  check(
      cudaMalloc(&data_, (kind == Kind::kEnemyStreaming ? kEnemyFloats : kFloats) * sizeof(float)));
  check(cudaMalloc(&words_, 65536 * sizeof(unsigned)));
  clear();
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  enqueue(stream);  // loads what is loaded at the first use
  check(cudaStreamSynchronize(stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  enqueue(stream);
  check(cudaStreamEndCapture(stream, &graph_));
  check(cudaStreamDestroy(stream));
  clear();
}

Network::~Network() {
  cudaGraphDestroy(graph_);
  cudaFree(words_);
  cudaFree(data_);
}

void Network::clear() {
  check(cudaMemset(data_, 0,
                   (kind_ == Kind::kEnemyStreaming ? kEnemyFloats : kFloats) * sizeof(float)));
  check(cudaMemset(words_, 0, 65536 * sizeof(unsigned)));
  check(cudaDeviceSynchronize());
}

void Network::enqueue(cudaStream_t stream) const {
  auto* const vectors = reinterpret_cast<float4*>(data_);
  for (int i = 0; i < kernels_; ++i) {
    switch (kind_) {
      case KernelKind::kCompute:
        arithmetic<<<kBlocks, kThreads, 0, stream>>>(data_, 1200);
        break;
      case KernelKind::kMemory:
        if (i % 10 == 0) check(cudaMemsetAsync(words_, i, 65536, stream));
        streaming<<<kBlocks, kThreads, 0, stream>>>(vectors, kFloats / 16);
        break;
      case KernelKind::kMixed:
        if (i % 10 == 0) check(cudaMemsetAsync(words_, i, 65536, stream));
        if (i % 2 == 0) {
          arithmetic<<<kBlocks, kThreads, 0, stream>>>(data_, 1200);
        } else {
          streaming<<<kBlocks, kThreads, 0, stream>>>(vectors, kFloats / 16);
        }
        break;
      case Kind::kEnemyCompute:
        arithmetic<<<1056, 1024, 0, stream>>>(data_, 100'000);
        break;
      case Kind::kEnemyStreaming:
        streaming<<<1056, 1024, 0, stream>>>(vectors, kEnemyFloats / 4);
        break;
      case Kind::kEnemyAtomics:
        atomics<<<1056, 1024, 0, stream>>>(words_, 2000);
        break;
    }
  }
}

std::uint64_t Network::checksum() const {
  std::vector<std::uint32_t> host(kFloats);
  check(cudaMemcpy(host.data(), data_, kFloats * sizeof(float), cudaMemcpyDeviceToHost));
  std::uint64_t sum = 0;
  for (const std::uint32_t word : host) sum = sum * 31 + word;
  return sum;
}

}  // namespace networks
