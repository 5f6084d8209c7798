// A "CUDA program" that marks its GPU segments for boost, over streams that are not there:
//
//     batch_program JOBS PRIORITY [CALL] [HOW]
//
// In each job it launches three kernels between begin and end, on two streams; with CALL it calls that
// function of the driver in the middle (HOW: linked, dlsym or proc, the ways to find a function).
// Writes a line per job: the results of begin and end, and how many kernels had run before end ("early")
// and after it; at the end a line "forced N problem TEXT".
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tactus/client.h"

using Address = unsigned long long;

extern "C" {
int cuStreamCreate(void** stream, unsigned flags);
int cuStreamSynchronize(void* stream);
int cuCtxSynchronize();
int cuEventRecord(void* event, void* stream);
int cuEventSynchronize(void* event);
int cuMemAlloc_v2(Address* address, std::size_t bytes);
int cuMemFree_v2(Address address);
int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes);
int cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes);
int cuMemcpy(Address to, Address from, std::size_t bytes);
int cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, void* stream);
int cuModuleLoadData(void** module, const void* image);
int cuGetProcAddress_v2(const char* name, void** function, int version, Address flags,
                        void* status);
int fake_launch(void* stream, unsigned microseconds, std::atomic<unsigned>* count);
}

namespace {

void* g_streams[2];
Address g_memory;
alignas(4096) char g_device[4096];
std::string g_how;

/// The driver's function, found the way that is asked for.
template <typename Function>
Function* found(Function* linked, const char* name, const char* proc) {
  void* symbol = nullptr;
  if (g_how == "dlsym") symbol = dlsym(dlopen("libcuda.so.1", RTLD_NOW), name);
  if (g_how == "proc") cuGetProcAddress_v2(proc, &symbol, 12000, 0, nullptr);
  return symbol != nullptr ? reinterpret_cast<Function*>(symbol) : linked;
}
#define FOUND(name) found(name, #name, #name)
#define FOUND2(name) found(name##_v2, #name "_v2", #name)

void call(const std::string& what) {
  char bytes[4] = {};
  void* pointer = nullptr;
  if (what == "stream") FOUND(cuStreamSynchronize)(g_streams[0]);
  if (what == "context") FOUND(cuCtxSynchronize)();
  if (what == "event") {
    cuEventRecord(&pointer, g_streams[0]);
    FOUND(cuEventSynchronize)(&pointer);
  }
  if (what == "alloc") {
    FOUND2(cuMemFree)(g_memory);
    FOUND2(cuMemAlloc)(&g_memory, sizeof bytes);
  }
  if (what == "to-device") FOUND2(cuMemcpyHtoD)(g_memory, bytes, sizeof bytes);
  if (what == "to-host") FOUND2(cuMemcpyDtoH)(bytes, g_memory, sizeof bytes);
  if (what == "copy") FOUND(cuMemcpy)(g_memory, g_memory, sizeof bytes);
  alignas(4096) static char pinned[4100];
  if (what == "pageable" || what == "pinned") {
    const auto copy = FOUND2(cuMemcpyDtoHAsync);
    copy(pinned + (what == "pinned" ? 0 : 1), reinterpret_cast<Address>(g_device), 4, g_streams[0]);
  }
  if (what == "module") FOUND(cuModuleLoadData)(&pointer, nullptr);
  if (what == "split") tactus_segment_split();
  if (what == "nested") std::printf("nested %d\n", tactus_segment_begin_stream(nullptr, 1, 1));
  if (what == "exit") std::exit(7);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string what = argc > 3 ? argv[3] : "";
  g_how = argc > 4 ? argv[4] : "linked";
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
