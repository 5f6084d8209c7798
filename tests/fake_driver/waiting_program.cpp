// A "CUDA program" that calls every function of the driver that waits, each inside a GPU segment for
// boost:
//
//     waiting_program HOW [pinned]
//
// HOW: linked, dlsym or proc, the ways to find a function; with "-twin" the forms for a default stream
// per thread. Copies are of pageable memory, or with "pinned" of pinned memory. Finds all functions
// first; then writes a line per function: its name, "split" if what was launched before it in its
// segment had run when it returned, and "right" if it did and returned what the driver's function does.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/client.h"
#include "tests/fake_driver/waiting_calls.hpp"

using fake_waits::Address;
using fake_waits::Size;

#define ONE(base, version, count, types) int base##version types;
#define TWO(base, version, twin, count, types) \
  int base##version types;                     \
  int base##version##twin types;
extern "C" {
WAITING_CALLS(ONE, TWO)
int cuStreamCreate(void** stream, unsigned flags);
int cuStreamSynchronize(void* stream);
int cuStreamSynchronize_ptsz(void* stream);
int cuCtxGetCurrent(void** context);
int cuCtxSynchronize();
int cuCtxSynchronize_v2(void* context);
int cuMemAlloc_v2(Address* address, Size bytes);
int cuMemFree_v2(Address address);
int cuMemHostRegister_v2(void* memory, Size bytes, unsigned flags);
int cuModuleLoadData(void** module, const void* image);
int cuGetProcAddress_v2(const char* name, void** function, int version, Address flags,
                        void* status);
int fake_launch(void* stream, unsigned microseconds, std::atomic<unsigned>* count);
}
#undef ONE
#undef TWO

namespace {

struct Call {
  std::string name;
  std::function<bool()> is_right;  ///< calls it
};
std::vector<Call> g_calls;
std::string g_how;
bool g_twins = false, g_pinned = false;

/// The driver's function, found the way that is asked for.
template <typename Function>
Function* found(Function* linked, const char* base, const char* name, int version = 12000) {
  void* symbol = nullptr;
  if (g_how == "linked") return linked;
  if (g_how == "dlsym") symbol = dlsym(dlopen("libcuda.so.1", RTLD_NOW), name);
  if (g_how == "proc") cuGetProcAddress_v2(base, &symbol, version, g_twins ? 2 : 0, nullptr);
  if (symbol == nullptr) {
    std::printf("%s was not found\n", name);
    std::exit(3);
  }
  return reinterpret_cast<Function*>(symbol);
}

/// The argument in this place: a number or a pointer that nobody follows.
template <typename Type>
Type argument(std::size_t place) {
  return (Type)((g_pinned ? 0x10000 : 0x10001) * (place + 1));
}

template <typename... Types, std::size_t... places>
bool is_right(int (*function)(Types...), const char* name, std::index_sequence<places...>) {
  return function(argument<Types>(places)...) ==
         fake_waits::digest(name, argument<Types>(places)...);
}

template <typename... Types>
void list(int (*linked)(Types...), const char* base, const char* name) {
  const auto function = found(linked, base, name);
  g_calls.push_back(
      {name, [=] { return is_right(function, name, std::index_sequence_for<Types...>()); }});
}

void* g_streams[2];
Address g_memory;

/// Those that the client uses, too, and that have to do what they are for.
void list_others() {
  const auto add = [](const char* name, std::function<bool()> call) {
    g_calls.push_back({name, std::move(call)});
  };
  if (g_twins) {
    const auto wait =
        found(cuStreamSynchronize_ptsz, "cuStreamSynchronize", "cuStreamSynchronize_ptsz");
    return add("cuStreamSynchronize_ptsz", [=] { return wait(g_streams[0]) == 0; });
  }
  const auto wait = found(cuStreamSynchronize, "cuStreamSynchronize", "cuStreamSynchronize");
  add("cuStreamSynchronize", [=] { return wait(g_streams[0]) == 0; });
  const auto all = found(cuCtxSynchronize, "cuCtxSynchronize", "cuCtxSynchronize");
  add("cuCtxSynchronize", [=] { return all() == 0; });
  const auto of = found(cuCtxSynchronize_v2, "cuCtxSynchronize", "cuCtxSynchronize_v2", 13000);
  add("cuCtxSynchronize_v2", [=] {
    void* context = nullptr;
    cuCtxGetCurrent(&context);
    return of(context) == 0 && of(&context) != 0;
  });
  const auto allocate = found(cuMemAlloc_v2, "cuMemAlloc", "cuMemAlloc_v2");
  add("cuMemAlloc_v2", [=] { return allocate(&g_memory, 4) == 0 && g_memory != 0; });
  const auto free = found(cuMemFree_v2, "cuMemFree", "cuMemFree_v2");
  add("cuMemFree_v2", [=] { return free(g_memory) == 0; });
  const auto pin = found(cuMemHostRegister_v2, "cuMemHostRegister", "cuMemHostRegister_v2");
  add("cuMemHostRegister_v2", [=] { return pin(&g_memory, 8, 0) == 0; });
  const auto load = found(cuModuleLoadData, "cuModuleLoadData", "cuModuleLoadData");
  add("cuModuleLoadData", [=] {
    void* module = nullptr;
    return load(&module, "") == 0 && module != nullptr;
  });
}

void list_all() {
#define ONE(base, version, count, types) \
  if (!g_twins) list(base##version, #base, #base #version);
#define TWO(base, version, twin, count, types)                     \
  g_twins ? list(base##version##twin, #base, #base #version #twin) \
          : list(base##version, #base, #base #version);
  WAITING_CALLS(ONE, TWO)
  list_others();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  g_how = argv[1];
  if (const std::size_t dash = g_how.find('-'); dash != std::string::npos) {
    g_twins = true;
    g_how.resize(dash);
  }
  g_pinned = argc > 2 && std::strcmp(argv[2], "pinned") == 0;
  for (void*& stream : g_streams) cuStreamCreate(&stream, 1);
  list_all();
  for (const Call& call : g_calls) {
    std::atomic<unsigned> count{0};
    if (tactus_segment_begin_streams(g_streams, 2, 5, TACTUS_OWN_PRIORITY) != TACTUS_RUNNING) {
      std::printf("%s\n", tactus_problem());
      std::_Exit(4);
    }
    fake_launch(g_streams[0], 100, &count);
    fake_launch(g_streams[1], 100, &count);
    const bool right = call.is_right();
    const unsigned early = count.load();
    fake_launch(g_streams[0], 100, &count);
    const int ended = tactus_segment_end();
    const bool split = early == 2 && ended == TACTUS_RUNNING && count.load() == 3;
    const bool whole = early == 0 && ended == TACTUS_RUNNING && count.load() == 3;
    std::printf("%s %s %s\n", call.name.c_str(),
                split   ? "split"
                : whole ? "whole"
                        : "forced",
                right ? "right" : "wrong");
  }
  std::fflush(stdout);
  std::_Exit(0);
}
