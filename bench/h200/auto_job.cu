// An ordinary CUDA program that knows nothing of Tactus.
//
//     auto_job SECONDS        every 20 ms a job: 16 KiB in, 20 kernels of about 0.1 ms, 16 KiB out, wait; all
//                             4,096 results compared. Writes a line of JSON
//     auto_job launches       what a launch costs its thread: 200 times 400 launches and a wait
#include <cuda_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tactus/host/clock.hpp"

using tactus::host::now_ns;

#define MUST(call)                                                                \
  if (const cudaError_t error = (call); error != cudaSuccess) {                   \
    std::fprintf(stderr, "auto_job: %s: %s\n", #call, cudaGetErrorString(error)); \
    std::exit(3);                                                                 \
  }

__global__ void step(unsigned* values, unsigned count, int rounds) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = values[at % count];
  for (int i = 0; i < rounds; ++i) value = value * 1664525U + 1013904223U;
  if (at < count) values[at] = value;
}
__global__ void nothing() {}

double ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

int launches() {
  std::vector<double> costs;
  cudaStream_t stream;
  MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int round = 0; round < 200; ++round) {
    const auto begin = now_ns();
    for (int i = 0; i < 400; ++i) nothing<<<1, 32, 0, stream>>>();
    costs.push_back(ms(now_ns() - begin) * 1e3 / 400);
    MUST(cudaStreamSynchronize(stream));
    usleep(1000);
  }
  std::sort(costs.begin(), costs.end());
  std::printf("{\"launch_us\": {\"p10\": %.3f, \"p50\": %.3f, \"p90\": %.3f}}\n", costs[20],
              costs[100], costs[180]);
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "launches") == 0) return launches();
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  constexpr unsigned kCount = 4096;
  constexpr int kKernels = 20;
  int device = 0, sms = 0;
  MUST(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  unsigned *host = nullptr, *memory = nullptr;
  MUST(cudaMallocHost(&host, kCount * sizeof(unsigned)));
  MUST(cudaMalloc(&memory, kCount * sizeof(unsigned)));
  cudaStream_t stream;
  MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const int blocks = sms * 2;
  int rounds = 20'000;
  const auto job = [&](std::vector<unsigned>* result) {
    for (unsigned i = 0; i < kCount; ++i) host[i] = i;
    MUST(cudaMemcpyAsync(memory, host, kCount * sizeof(unsigned), cudaMemcpyHostToDevice, stream));
    for (int k = 0; k < kKernels; ++k) step<<<blocks, 1024, 0, stream>>>(memory, kCount, rounds);
    MUST(cudaMemcpyAsync(host, memory, kCount * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    if (result != nullptr) result->assign(host, host + kCount);
  };
  // The size of a kernel, once: 0.1 ms each.
  job(nullptr);
  const auto begin = now_ns();
  job(nullptr);
  rounds = std::max(1, static_cast<int>(rounds * 2.0 / ms(now_ns() - begin)));
  std::vector<unsigned> expected(kCount), got;
  for (unsigned i = 0; i < kCount; ++i) {
    unsigned value = i;
    for (long r = 0; r < static_cast<long>(rounds) * kKernels; ++r)
      value = value * 1664525U + 1013904223U;
    expected[i] = value;
  }
  std::vector<double> times;
  int wrong = 0;
  const std::int64_t until = now_ns() + static_cast<std::int64_t>(seconds * 1e9);
  for (std::int64_t release = now_ns(); release < until; release += 20'000'000) {
    while (now_ns() < release) usleep(50);
    job(&got);
    times.push_back(ms(now_ns() - release));
    if (got != expected) ++wrong;
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
  };
  std::printf("{\"jobs\": %zu, \"wrong\": %d, \"p50\": %.3f, \"p99\": %.3f, \"max\": %.3f}\n",
              times.size(), wrong, at(0.5), at(0.99), times.back());
  return wrong == 0 ? 0 : 1;
}
