// An ordinary CUDA program that knows nothing of Tactus: kernels, streams, copies; checks its
// results.
//
//     plain_loop SECONDS
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kCount = 1 << 22, kRounds = 200, kKernels = 4;

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::printf("plain_loop: %s: %s\n", what, cudaGetErrorString(code));
  std::exit(1);
}

__global__ void step(unsigned* values, int count, int rounds) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  unsigned value = values[i];
  for (int r = 0; r < rounds; ++r) value = value * 1664525u + 1013904223u;
  values[i] = value;
}

}  // namespace

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  std::vector<unsigned> host(kCount);
  for (int i = 0; i < kCount; ++i) host[static_cast<std::size_t>(i)] = static_cast<unsigned>(i);
  unsigned* device = nullptr;
  cudaStream_t stream = nullptr;
  check(cudaMalloc(&device, kCount * sizeof(unsigned)), "cudaMalloc");
  check(cudaMemcpy(device, host.data(), kCount * sizeof(unsigned), cudaMemcpyHostToDevice), "copy");
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  long kernels = 0;
  double longest = 0;
  const auto start = Clock::now();
  double elapsed = 0;
  while (elapsed < seconds) {
    const auto before = Clock::now();
    for (int k = 0; k < kKernels; ++k)
      step<<<(kCount + 255) / 256, 256, 0, stream>>>(device, kCount, kRounds);
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    kernels += kKernels;
    const auto after = Clock::now();
    const double took = std::chrono::duration<double, std::milli>(after - before).count();
    if (took > longest) longest = took;
    elapsed = std::chrono::duration<double>(after - start).count();
  }
  check(cudaMemcpy(host.data(), device, kCount * sizeof(unsigned), cudaMemcpyDeviceToHost), "copy");
  unsigned a = 1, c = 0;
  for (long r = 0; r < kernels * kRounds; ++r) a *= 1664525u, c = c * 1664525u + 1013904223u;
  long wrong = 0;
  for (int i = 0; i < kCount; ++i)
    if (host[static_cast<std::size_t>(i)] != a * static_cast<unsigned>(i) + c) ++wrong;
  std::printf("plain_loop: %ld kernels in %.2f s, %.1f a second, longest four %.2f ms, %ld wrong\n",
              kernels, elapsed, static_cast<double>(kernels) / elapsed, longest, wrong);
  return wrong != 0;
}
