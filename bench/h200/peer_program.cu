// The programs that ways of sharing a GPU are compared with (bench/h200/peers.py): an urgent one with a short job
// in every period, and one that uses the GPU all the time. Both check their results.
//
//     peer_program urgent SECONDS PERIOD_MS [gcaps|boost]    marks its jobs so, by libtactus_client.so
//     peer_program low short|long|graph                      until SIGTERM; counts from SIGUSR1 to SIGUSR2
//     peer_program rates                                     what $PEER_RATES is to say, measured alone
//
// Each says "ready" when it may be measured, and in the end one line of JSON.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::printf("{\"problem\": \"%s: %s\"}\n", what, cudaGetErrorString(code));
  std::exit(1);
}

double now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void sleep_until_ms(double ms) {
  const double s = ms / 1e3;
  timespec until{};
  until.tv_sec = static_cast<time_t>(s);
  until.tv_nsec = static_cast<long>((s - static_cast<double>(until.tv_sec)) * 1e9);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

__global__ void step(unsigned* values, int rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = values[i];
  for (int r = 0; r < rounds; ++r) value = value * 1664525u + 1013904223u;
  values[i] = value;
}

constexpr int kThreads = 256, kManyWaves = 16;

/// Kernels over the whole GPU that take a known time.
class Work {
 public:
  /// @param waves of blocks in each kernel: 1 is a kernel whose blocks all end together
  explicit Work(int waves) {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    int seats = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&seats, step, kThreads, 0), "occupancy");
    blocks_ = waves * seats * gpu.multiProcessorCount;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    check(cudaMalloc(&values, bytes()), "memory");
    check(cudaMemset(values, 0, bytes()), "memory");
    check(cudaDeviceSynchronize(), "memory");
    if (const char* const rates = std::getenv("PEER_RATES")) {
      double one = 0, many = 0;
      if (std::sscanf(rates, "%lf,%lf", &one, &many) == 2) rounds_per_ms_ = waves == 1 ? one : many;
    }
    if (rounds_per_ms_ <= 0) measure();
  }
  double rounds_per_ms() const { return rounds_per_ms_; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(blocks_) * kThreads * sizeof(unsigned);
  }
  int rounds(double ms) const { return std::max(1, static_cast<int>(ms * rounds_per_ms_)); }
  void launch(int rounds) { step<<<blocks_, kThreads, 0, stream>>>(values, rounds); }
  void count(long long rounds) { rounds_ += rounds; }
  /// Is every value what so many rounds make of 0?
  bool right() {
    check(cudaStreamSynchronize(stream), "kernel");
    std::vector<unsigned> seen(bytes() / sizeof(unsigned));
    check(cudaMemcpy(seen.data(), values, bytes(), cudaMemcpyDeviceToHost), "copy");
    // The steps in a row are one step of the same form: x -> a x + b, squared again and again.
    unsigned value = 0, a = 1664525u, b = 1013904223u;
    for (long long r = rounds_; r > 0; r /= 2, b = a * b + b, a *= a)
      if (r % 2 == 1) value = value * a + b;
    return std::all_of(seen.begin(), seen.end(), [&](unsigned each) { return each == value; });
  }

  cudaStream_t stream = nullptr;
  unsigned* values = nullptr;

 private:
  void measure() {
    launch(1000);
    check(cudaStreamSynchronize(stream), "kernel");
    const double begin = now_ms();
    launch(200'000);
    check(cudaStreamSynchronize(stream), "kernel");
    rounds_per_ms_ = 200'000 / (now_ms() - begin);
    rounds_ = 201'000;
  }

  int blocks_ = 0;
  double rounds_per_ms_ = 0;
  long long rounds_ = 0;
};

/// The marks of a segment, from the client library, which programs that mark nothing do not have.
struct Marks {
  int (*begin)(int) = nullptr;
  int (*begin_stream)(void*, int, int) = nullptr;
  int (*end)() = nullptr;

  explicit Marks(const std::string& protocol) {
    if (protocol.empty()) return;
    void* const library = dlopen("libtactus_client.so", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      std::printf("{\"problem\": \"no libtactus_client.so\"}\n");
      std::exit(1);
    }
    if (protocol == "boost")
      begin_stream =
          reinterpret_cast<int (*)(void*, int, int)>(dlsym(library, "tactus_segment_begin_stream"));
    else
      begin = reinterpret_cast<int (*)(int)>(dlsym(library, "tactus_segment_begin"));
    end = reinterpret_cast<int (*)()>(dlsym(library, "tactus_segment_end"));
  }
};

constexpr int kPriority = 70, kKernels = 20, kCopied = 16 << 10;

int urgent(double seconds, double period_ms, const std::string& protocol) {
  const Marks marks(protocol);
  Work work(1);
  void *host = nullptr, *device = nullptr;
  check(cudaMallocHost(&host, kCopied), "host");
  check(cudaMalloc(&device, kCopied), "memory");
  std::memset(host, 7, kCopied);
  const int rounds = work.rounds(0.1);
  std::vector<double> responses;
  long states[4] = {};
  long missed = 0;
  const auto job = [&] {
    if (marks.begin != nullptr) ++states[marks.begin(kPriority) & 3];
    if (marks.begin_stream != nullptr) marks.begin_stream(work.stream, kPriority, kPriority);
    check(cudaMemcpyAsync(device, host, kCopied, cudaMemcpyHostToDevice, work.stream), "copy");
    for (int k = 0; k < kKernels; ++k) work.launch(rounds);
    check(cudaMemcpyAsync(host, device, kCopied, cudaMemcpyDeviceToHost, work.stream), "copy");
    if (marks.begin_stream != nullptr) ++states[marks.end() & 3];
    check(cudaStreamSynchronize(work.stream), "job");
    if (marks.begin != nullptr) marks.end();
    work.count(static_cast<long long>(kKernels) * rounds);
  };
  for (int i = 0; i < 20; ++i) job();
  responses.clear();
  std::printf("ready\n");
  std::fflush(stdout);
  double release = now_ms() + period_ms;
  const double until = release + seconds * 1e3;
  for (; release < until; release += period_ms) {
    sleep_until_ms(release);
    job();
    responses.push_back(now_ms() - release);
    for (; now_ms() > release + period_ms; release += period_ms) ++missed;
  }
  const bool right = work.right();
  std::sort(responses.begin(), responses.end());
  const auto at = [&](double part) {
    return responses[static_cast<std::size_t>(part * static_cast<double>(responses.size() - 1))];
  };
  std::printf(
      "{\"jobs\": %zu, \"p50\": %.3f, \"p99\": %.3f, \"max\": %.3f, \"missed\": %ld, "
      "\"running\": %ld, \"shared\": %ld, \"right\": %s}\n",
      responses.size(), at(0.5), at(0.99), at(1), missed, states[0], states[3],
      right ? "true" : "false");
  return 0;
}

volatile sig_atomic_t began, ended, over;

int low(const std::string& kind) {
  signal(SIGUSR1, [](int) { began = 1; });
  signal(SIGUSR2, [](int) { ended = 1; });
  signal(SIGTERM, [](int) { over = 1; });
  // Short blocks end all the time, so that others may come in between; one long wave does not.
  Work work(kind == "short" ? kManyWaves : 1);
  const int rounds = work.rounds(kind == "long" ? 50 : kind == "short" ? 1 : 0.05);
  cudaGraphExec_t graph = nullptr;
  constexpr int kNodes = 20;
  if (kind == "graph") {
    cudaGraph_t captured = nullptr;
    check(cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeThreadLocal), "capture");
    for (int k = 0; k < kNodes; ++k) work.launch(rounds);
    check(cudaStreamEndCapture(work.stream, &captured), "capture");
    check(cudaGraphInstantiate(&graph, captured, 0), "graph");
  }
  const int queued = kind == "long" ? 2 : 64;
  std::vector<cudaEvent_t> events(static_cast<std::size_t>(queued));
  for (cudaEvent_t& event : events)
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync),
          "event");
  std::printf("ready\n");
  std::fflush(stdout);
  long long launched = 0, done = 0, first = -1, last = -1;
  double begin = 0, end = 0;
  while (over == 0) {
    if (launched - done == queued) {
      check(cudaEventSynchronize(events[static_cast<std::size_t>(done % queued)]), "event");
      ++done;
    }
    if (graph != nullptr)
      check(cudaGraphLaunch(graph, work.stream), "graph");
    else
      work.launch(rounds);
    check(cudaEventRecord(events[static_cast<std::size_t>(launched % queued)], work.stream),
          "event");
    ++launched;
    if (began != 0 && first < 0) first = done, begin = now_ms();
    if (ended != 0 && last < 0) last = done, end = now_ms();
  }
  work.count(launched * (graph != nullptr ? kNodes : 1) * static_cast<long long>(rounds));
  const bool right = work.right();
  std::printf("{\"rate\": %.3f, \"right\": %s}\n",
              first < 0 || last < 0 ? 0.0 : static_cast<double>(last - first) / (end - begin) * 1e3,
              right ? "true" : "false");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  if (role == "urgent" && argc > 3)
    return urgent(std::atof(argv[2]), std::atof(argv[3]), argc > 4 ? argv[4] : "");
  if (role == "rates") {
    for (int warm = 0; warm < 3; ++warm) Work(1);
    std::printf("%.0f,%.0f\n", Work(1).rounds_per_ms(), Work(kManyWaves).rounds_per_ms());
    return 0;
  }
  if (role == "low" && argc > 2) return low(argv[2]);
  std::fprintf(stderr,
               "peer_program urgent SECONDS PERIOD_MS [gcaps|boost] | low short|long|graph\n");
  return 2;
}
