// The library that `tactus measure -- COMMAND` loads into a program: the driver's functions as the
// program sees them. Each call goes on to the driver, and is written down. A program finds these
// functions in three ways, and all lead here: by linking, by dlsym, and by cuGetProcAddress.

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "tactus/host/clock.hpp"
#include "tactus/host/driver_symbols.hpp"
#include "tactus/host/shared_memory.hpp"
#include "tactus/observe/call_log.hpp"

namespace {

using tactus::host::real_dlsym;
using tactus::observe::Call;
using tactus::observe::CallKind;
using tactus::observe::CallLog;
using tactus::observe::kFunctionCount;
using tactus::observe::kFunctions;
/// A program that looks everywhere finds this library's own functions first.
constexpr auto is_here = tactus::host::is_in_this_library;

using tactus::host::kForms;
using Address = unsigned long long;

/// Of the driver, as far as they are known.
tactus::host::Forms next_of[kFunctionCount];

CallLog* log() {
  static CallLog* const shared = []() -> CallLog* {
    const char* text = std::getenv(tactus::observe::kVariable);
    int file = -1;
    unsigned long long inode = 0;
    if (text == nullptr || std::sscanf(text, "%d:%llu", &file, &inode) != 2) return nullptr;
    // The program may have closed it, and opened something else under this number.
    struct stat status {};
    if (fstat(file, &status) != 0 || status.st_ino != inode) return nullptr;
    static const tactus::host::SharedMemory memory(file);
    return memory && memory.size() >= sizeof(CallLog) ? &memory.as<CallLog>() : nullptr;
  }();
  return shared;
}

std::int32_t this_thread() {
  static thread_local const auto number = static_cast<std::int32_t>(gettid());
  return number;
}

/// Not counted is when the system takes the CPU away.
std::int64_t sleeps() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

void write_down(const Call& call) {
  CallLog* const to = log();
  if (to == nullptr) return;
  const std::uint64_t place = to->count.fetch_add(1, std::memory_order_relaxed);
  if (place >= CallLog::kCapacity) return;
  Call& at = to->calls[place];
  at = call;
  std::atomic_ref(at.written).store(1, std::memory_order_release);
}

constexpr std::size_t index_of(const char* name) {
  for (std::size_t i = 0; i < kFunctionCount; ++i) {
    const char *a = kFunctions[i].name, *b = name;
    while (*a != '\0' && *a == *b) ++a, ++b;
    if (*a == *b) return i;
  }
  return kFunctionCount;
}

constexpr bool copies(CallKind kind) {
  return kind != CallKind::kLaunch && kind != CallKind::kSet && kind < CallKind::kWait;
}

/// What the program calls in place of a function of the driver.
template <std::size_t index, std::size_t form, typename... Arguments>
int watched(Arguments... arguments) {
  constexpr bool asks = index == index_of("cuStreamQuery") || index == index_of("cuEventQuery");
  const auto next = reinterpret_cast<int (*)(Arguments...)>(next_of[index][form].load());
  if (next == nullptr) return 500;  // CUDA_ERROR_NOT_FOUND
  Call call;
  call.function = static_cast<std::uint16_t>(index);
  if constexpr (copies(kFunctions[index].kind)) {
    call.bytes = std::get<2>(std::tuple<Arguments...>(arguments...));
  }
  call.sleeps_begin = sleeps();
  call.cpu_begin = tactus::host::clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  call.begin = tactus::host::now_ns();
  const int result = next(arguments...);
  call.end = tactus::host::now_ns();
  if (asks && result != 0) return result;
  call.cpu_end = tactus::host::clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  call.sleeps_end = sleeps();
  call.process = getpid();
  call.thread = this_thread();
  write_down(call);
  return result;
}

/// Our functions, one per form.
struct Watched {
  void* function[kForms];
};
template <std::size_t index, typename... Arguments>
Watched watch() {
  static_assert(kForms == 4);
  return {{reinterpret_cast<void*>(&watched<index, 0, Arguments...>),
           reinterpret_cast<void*>(&watched<index, 1, Arguments...>),
           reinterpret_cast<void*>(&watched<index, 2, Arguments...>),
           reinterpret_cast<void*>(&watched<index, 3, Arguments...>)}};
}

using Pointer = void*;
using Size = std::size_t;
const Watched& ours(std::size_t index) {
  static const Watched all[] = {
      watch<0, Pointer, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
            Pointer, Pointer*, Pointer*>(),
      watch<1, const void*, Pointer, Pointer*, Pointer*>(),
      watch<2, Pointer, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
            Pointer, Pointer*>(),
      watch<3, Pointer, Pointer>(),
      watch<4, Address, const void*, Size, Pointer>(),
      watch<5, Pointer, Address, Size, Pointer>(),
      watch<6, Address, Address, Size, Pointer>(),
      watch<7, Address, Address, Size, Pointer>(),
      watch<8, Address, unsigned char, Size, Pointer>(),
      watch<9, Address, unsigned, Size, Pointer>(),
      watch<10, Address, const void*, Size>(),
      watch<11, Pointer, Address, Size>(),
      watch<12, Address, Address, Size>(),
      watch<13, Pointer>(),
      watch<14, Pointer>(),  // a context since CUDA 13; the form before does not look at it
      watch<15, Pointer>(),
      watch<16, Pointer>(),
      watch<17, Pointer>(),
      watch<18, int>(),
      watch<19>(),
  };
  static_assert(sizeof all / sizeof all[0] == kFunctionCount);
  return all[index];
}

/// Of the functions that are watched, by a name as libraries export it: "cuMemcpyHtoD_v2",
/// "cuLaunchKernel_ptsz"; `kFunctionCount` if it is none of them.
std::size_t find(const char* name) {
  if (std::strncmp(name, "cu", 2) != 0 && std::strncmp(name, "tactus_segment", 14) != 0)
    return kFunctionCount;
  return index_of(tactus::host::driver_name(name).base);
}

/// Ours in place of the driver's function; the function itself if it is none of those.
void* in_place_of(void* function, std::size_t index) {
  if (function == nullptr || index == kFunctionCount || is_here(function)) return function;
  const std::size_t form = tactus::host::place_of(function, next_of[index]);
  return form < kForms ? ours(index).function[form] : function;
}

using GetProcAddress = int (*)(const char*, void**, int, Address, void*);
std::atomic<GetProcAddress> next_get_proc_address, next_get_proc_address_v2;

void* own_get_proc_address(void* found, bool second);

int watched_get_proc_address(GetProcAddress next, const char* name, void** function, int version,
                             Address flags, void* status) {
  if (next == nullptr) return 500;
  const int result = next(name, function, version, flags, status);
  if (result != 0 || function == nullptr || *function == nullptr) return result;
  if (std::strcmp(name, "cuGetProcAddress") == 0) {
    *function = own_get_proc_address(*function, version >= 12000);
    return result;
  }
  *function = in_place_of(*function, find(name));
  return result;
}

}  // namespace

#define SHOWN __attribute__((visibility("default")))

// The names are the driver's, and the arguments of this macro are lists with parentheses of their own.
// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses)

/// A function for programs that are linked to the driver.
#define LINKED(name, parameters, arguments)                                            \
  SHOWN int name parameters {                                                          \
    static void* const own = in_place_of(real_dlsym()(RTLD_NEXT, #name), find(#name)); \
    if (own == nullptr) return 500;                                                    \
    return reinterpret_cast<int(*) parameters>(own) arguments;                         \
  }

extern "C" {

#define LAUNCH                                                                            \
  (void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, \
   unsigned shared, void* stream, void** parameters, void** extra)
#define LAUNCHED (f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra)
LINKED(cuLaunchKernel, LAUNCH, LAUNCHED)
LINKED(cuLaunchKernel_ptsz, LAUNCH, LAUNCHED)
LINKED(cuLaunchKernelEx, (const void* config, void* f, void** p, void** e), (config, f, p, e))
LINKED(cuLaunchKernelEx_ptsz, (const void* config, void* f, void** p, void** e), (config, f, p, e))
LINKED(cuGraphLaunch, (void* graph, void* stream), (graph, stream))
LINKED(cuGraphLaunch_ptsz, (void* graph, void* stream), (graph, stream))
LINKED(cuMemcpyHtoDAsync_v2, (Address to, const void* from, Size n, void* s), (to, from, n, s))
LINKED(cuMemcpyDtoHAsync_v2, (void* to, Address from, Size n, void* s), (to, from, n, s))
LINKED(cuMemcpyDtoDAsync_v2, (Address to, Address from, Size n, void* s), (to, from, n, s))
LINKED(cuMemcpyAsync, (Address to, Address from, Size n, void* s), (to, from, n, s))
LINKED(cuMemsetD8Async, (Address to, unsigned char v, Size n, void* s), (to, v, n, s))
LINKED(cuMemsetD32Async, (Address to, unsigned v, Size n, void* s), (to, v, n, s))
LINKED(cuMemcpyHtoD_v2, (Address to, const void* from, Size n), (to, from, n))
LINKED(cuMemcpyDtoH_v2, (void* to, Address from, Size n), (to, from, n))
LINKED(cuMemcpy, (Address to, Address from, Size n), (to, from, n))
LINKED(cuStreamSynchronize, (void* stream), (stream))
LINKED(cuStreamSynchronize_ptsz, (void* stream), (stream))
LINKED(cuCtxSynchronize, (), ())
LINKED(cuCtxSynchronize_v2, (void* context), (context))
LINKED(cuEventSynchronize, (void* event), (event))
LINKED(cuStreamQuery, (void* stream), (stream))
LINKED(cuStreamQuery_ptsz, (void* stream), (stream))
LINKED(cuEventQuery, (void* event), (event))
LINKED(tactus_segment_begin, (int priority), (priority))
LINKED(tactus_segment_end, (), ())

SHOWN int cuGetProcAddress(const char* name, void** function, int version, Address flags) {
  if (next_get_proc_address == nullptr) {
    next_get_proc_address =
        reinterpret_cast<GetProcAddress>(real_dlsym()(RTLD_NEXT, "cuGetProcAddress"));
  }
  return watched_get_proc_address(next_get_proc_address, name, function, version, flags, nullptr);
}
SHOWN int cuGetProcAddress_v2(const char* name, void** function, int version, Address flags,
                              void* status) {
  if (next_get_proc_address_v2 == nullptr) {
    next_get_proc_address_v2 =
        reinterpret_cast<GetProcAddress>(real_dlsym()(RTLD_NEXT, "cuGetProcAddress_v2"));
  }
  return watched_get_proc_address(next_get_proc_address_v2, name, function, version, flags, status);
}

SHOWN void* dlsym(void* handle, const char* name) noexcept {
  const auto real = real_dlsym();
  if (name[0] != 'c' && name[0] != 't') return real(handle, name);
  if (std::strcmp(name, "cuGetProcAddress") == 0 || std::strcmp(name, "cuGetProcAddress_v2") == 0) {
    return own_get_proc_address(real(handle, name), name[16] != '\0');
  }
  return in_place_of(real(handle, name), find(name));
}
}
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)

namespace {

void* own_get_proc_address(void* found, bool second) {
  if (found == nullptr || is_here(found)) return found;
  (second ? next_get_proc_address_v2 : next_get_proc_address) =
      reinterpret_cast<GetProcAddress>(found);
  return second ? reinterpret_cast<void*>(&cuGetProcAddress_v2)
                : reinterpret_cast<void*>(&cuGetProcAddress);
}

}  // namespace
