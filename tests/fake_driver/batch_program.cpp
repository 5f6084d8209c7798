// A "CUDA program" that marks its GPU segments for boost, over streams that are not there:
//
//     batch_program JOBS PRIORITY [CALL]
//
// In each job it launches three kernels between begin and end, on two streams; with CALL it calls that
// function of the driver in the middle.
// CALL "leave": a thread begins a host segment, gets its turn and exits inside it; the program then
// waits until the file that BATCH_UNTIL names is there.
// Writes a line per job: the results of begin and end, and how many kernels had run before end ("early")
// and after it; at the end a line "forced N problem TEXT".
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "tactus/client.h"

using Address = unsigned long long;

extern "C" {
int cuStreamCreate(void** stream, unsigned flags);
int cuStreamSynchronize(void* stream);
int cuCtxSynchronize();
int cuMemAlloc_v2(Address* address, std::size_t bytes);
int cuMemFree_v2(Address address);
int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes);
int cuModuleLoadData(void** module, const void* image);
int fake_launch(void* stream, unsigned microseconds, std::atomic<unsigned>* count);
}

namespace {

void* g_streams[2];
Address g_memory;

void call(const std::string& what) {
  char bytes[4] = {};
  void* pointer = nullptr;
  if (what == "stream") cuStreamSynchronize(g_streams[0]);
  if (what == "context") cuCtxSynchronize();
  if (what == "alloc") {
    cuMemFree_v2(g_memory);
    cuMemAlloc_v2(&g_memory, sizeof bytes);
  }
  if (what == "copy") cuMemcpyHtoD_v2(g_memory, bytes, sizeof bytes);
  if (what == "module") cuModuleLoadData(&pointer, nullptr);
  if (what == "split") tactus_segment_split();
  if (what == "nested") std::printf("nested %d\n", tactus_segment_begin_stream(nullptr, 1, 1));
  if (what == "exit") std::exit(7);
}

void leave_a_segment(int priority) {
  std::thread([&] {
    const int begun = tactus_segment_begin_host(priority, TACTUS_OWN_PRIORITY);
    std::printf("begin %d submit %d\n", begun, tactus_segment_submit());
  }).join();
  const char* const until = std::getenv("BATCH_UNTIL");
  while (until != nullptr && access(until, F_OK) != 0) usleep(1000);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string what = argc > 3 ? argv[3] : "";
  if (what == "leave") {
    leave_a_segment(std::atoi(argv[2]));
    return 0;
  }
  for (void*& stream : g_streams) cuStreamCreate(&stream, 1);
  cuMemAlloc_v2(&g_memory, 4);
  if (std::getenv("BATCH_BUSY") != nullptr) tactus_set_waiting(TACTUS_BUSY);
  const int priority =
      std::strcmp(argv[2], "best-effort") == 0 ? TACTUS_BEST_EFFORT : std::atoi(argv[2]);
  for (int job = 0; job < std::atoi(argv[1]); ++job) {
    std::atomic<unsigned> count{0};
    const int begun = tactus_segment_begin_streams(g_streams, 2, priority, TACTUS_OWN_PRIORITY);
    fake_launch(g_streams[0], 300, &count);
    fake_launch(g_streams[1], 100, &count);
    call(what);
    const unsigned early = count.load();
    fake_launch(g_streams[0], 100, &count);
    const int ended = tactus_segment_end();
    std::printf("begin %d end %d early %u done %u\n", begun, ended, early, count.load());
    if (begun < 0) cuCtxSynchronize();
  }
  std::printf("forced %lu problem %s\n", tactus_gates_forced(), tactus_problem());
  std::fflush(stdout);
  std::_Exit(0);
}
