// The preloaded library: functions of CUDA's driver as the program sees them. Those that wait for the
// GPU would wait for ever inside a GPU segment whose gate is shut: the segment is ended before the
// call and begun again after it (tactus_segment_split). Elsewhere they cost a few nanoseconds. Where
// automatic segments are asked for, what puts work into a stream stops here, too. Not part of the
// room's own library.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <tuple>

#include "tactus/arbiter/preload/automatic.hpp"
#include "tactus/arbiter/preload/driver_kinds.hpp"
#include "tactus/arbiter/preload/preload.h"
#include "tactus/arbiter/preload/stream_calls.hpp"
#include "tactus/arbiter/preload/waiting_calls.hpp"
#include "tactus/host/driver_symbols.hpp"

namespace {

using tactus::host::driver_name;
using tactus::host::is_in_this_library;
using tactus::host::kForms;
using tactus::host::real_dlsym;

using Address = unsigned long long;
using Pointer = void*;
using Size = std::size_t;
constexpr int kNotFound = 500;  // CUDA_ERROR_NOT_FOUND

/// Who shuts gates in this process: the client in this library, or one that the program brought.
constexpr std::size_t kMostWatched = 4;
std::array<std::atomic<const tactus_waits*>, kMostWatched> g_watched;

/// The one whose gate is shut for this thread.
const tactus_waits* shut_gate() {
  for (const auto& one : g_watched) {
    const tactus_waits* const waits = one.load(std::memory_order_acquire);
    if (waits == nullptr) return nullptr;
    if (waits->gate_is_shut() != 0) return waits;
  }
  return nullptr;
}

/// Memory that the GPU cannot reach by itself: even an asynchronous copy of it waits.
bool is_pageable(Address memory) {
  constexpr int kMemoryType = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
  using Ask = int (*)(void* value, int attribute, Address memory);
  static const Ask ask = reinterpret_cast<Ask>(
      real_dlsym()(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), "cuPointerGetAttribute"));
  unsigned type = 0;
  return ask != nullptr && ask(&type, kMemoryType, memory) != 0;
}

namespace automatic = tactus::arbiter::preload::automatic;
using namespace tactus::arbiter::preload::
    kinds;  // NOLINT(google-build-using-namespace): of the tables

/// Which of the calls in the table; `k_` and its name.
enum Index : std::size_t {
#define TACTUS_INDEX(name, ...) k_##name,
  TACTUS_WAITING_CALLS(TACTUS_INDEX, TACTUS_INDEX) TACTUS_STREAM_CALLS(TACTUS_INDEX, TACTUS_INDEX)
#undef TACTUS_INDEX
      kCount
};

/// Of the driver, as far as they are known.
tactus::host::Forms g_next[kCount];
/// What the program found in each place; written before it can call it.
std::array<std::array<Form, kForms>, kCount> g_forms;

Address as_address(const void* pointer) { return reinterpret_cast<Address>(pointer); }
Address as_address(Address address) { return address; }

/// What the program calls in place of one form of a call.
template <std::size_t index, std::size_t place, typename Kind, typename Call>
struct StandIn;
template <std::size_t index, std::size_t place, typename Kind, typename... Arguments>
struct StandIn<index, place, Kind, int(Arguments...)> {
  static int call(Arguments... arguments) {
    const auto next = reinterpret_cast<int (*)(Arguments...)>(g_next[index][place].load());
    if (next == nullptr) return kNotFound;
    const auto go = [&] { return next(arguments...); };
    if (automatic::wanted()) {
      if constexpr (Kind::kPageable) {
        return Kind::around(g_forms[index][place], go, is_pageable_copy(arguments...),
                            arguments...);
      } else {
        return Kind::around(g_forms[index][place], go, arguments...);
      }
    }
    if constexpr (Kind::kSplits) {
      const tactus_waits* const shut = shut_gate();
      if (shut == nullptr) return go();
      if constexpr (Kind::kPageable) {
        if (!is_pageable_copy(arguments...)) return go();
      }
      shut->pause();
      const int result = go();
      shut->go_on();
      return result;
    }
    return go();
  }
  /// A copy: to, from, ...
  static bool is_pageable_copy(Arguments... arguments) {
    const std::tuple<Arguments...> all(arguments...);
    return is_pageable(as_address(std::get<0>(all))) || is_pageable(as_address(std::get<1>(all)));
  }
};

/// A call of the tables, and what the program calls in place of each of its forms.
struct Known {
  const char* name;
  bool splits;      ///< also of interest without automatic segments
  int newer_since;  ///< of CUDA; 0: all forms have the same arguments
  void* own[kForms];
};

template <std::size_t index, typename Kind, typename Call>
Known entry(const char* name) {
  static_assert(kForms == 4);
  return {name,
          Kind::kSplits,
          Kind::kNewerSince,
          {reinterpret_cast<void*>(&StandIn<index, 0, Kind, Call>::call),
           reinterpret_cast<void*>(&StandIn<index, 1, Kind, Call>::call),
           reinterpret_cast<void*>(&StandIn<index, 2, Kind, Call>::call),
           reinterpret_cast<void*>(&StandIn<index, 3, Kind, Call>::call)}};
}

const Known* all_known() {
  // NOLINTBEGIN(bugprone-macro-parentheses): lists with parentheses of their own
  static const Known all[] = {
#define TACTUS_ENTRY(name, version, kind, parameters, arguments) \
  entry<k_##name, kind, int parameters>(#name),
#define TACTUS_ENTRY_OF_TWO(name, version, twin, kind, parameters, arguments) \
  TACTUS_ENTRY(name, version, kind, parameters, arguments)
      TACTUS_WAITING_CALLS(TACTUS_ENTRY, TACTUS_ENTRY_OF_TWO)
          TACTUS_STREAM_CALLS(TACTUS_ENTRY, TACTUS_ENTRY_OF_TWO)
#undef TACTUS_ENTRY
#undef TACTUS_ENTRY_OF_TWO
  };
  // NOLINTEND(bugprone-macro-parentheses)
  return all;
}

/// Does this name end so?
bool ends_in(const char* name, const char* end) {
  const std::size_t length = std::strlen(name), cut = std::strlen(end);
  return length >= cut && std::strcmp(name + length - cut, end) == 0;
}

/// By the name of a symbol; or, from cuGetProcAddress, by its flags and the version asked for.
Form form_of(const char* name, int version, Address flags, int newer_since) {
  constexpr Address kPerThreadDefaultStream = 2;
  const bool twin = ends_in(name, "_ptsz") || ends_in(name, "_ptds");
  const bool newer = std::strstr(name, "_v2") != nullptr;
  return {twin || (flags & kPerThreadDefaultStream) != 0,
          newer_since != 0 && (newer || version >= newer_since)};
}

/// Ours in place of the driver's function; the function itself if it is none that waits.
/// @param function null: there is no such function
void* in_place_of(void* function, const char* name, int version = 0, Address flags = 0) {
  if (function == nullptr || std::strncmp(name, "cu", 2) != 0) return function;
  if (is_in_this_library(function)) return function;  // it is ours already
  const tactus::host::DriverName driver = driver_name(name);
  const Known* const all = all_known();
  for (std::size_t i = 0; i < kCount; ++i) {
    if (std::strcmp(all[i].name, driver.base) != 0) continue;
    if (!all[i].splits && !automatic::wanted()) return function;
    const std::size_t place = tactus::host::place_of(function, g_next[i]);
    if (place == kForms) return function;
    g_forms[i][place] = form_of(name, version, flags, all[i].newer_since);
    return all[i].own[place];
  }
  return function;
}

/// The driver's function behind one of ours.
void* behind(void* found, const char* name) {
  return found != nullptr && is_in_this_library(found) ? real_dlsym()(RTLD_NEXT, name) : found;
}

using GetProcAddress = int (*)(const char*, void**, int, Address, void*);
std::atomic<GetProcAddress> g_get_proc_address, g_get_proc_address_v2;

void* own_get_proc_address(void* found, bool second);

int get_proc_address(GetProcAddress next, const char* name, void** function, int version,
                     Address flags, void* status) {
  if (next == nullptr) return kNotFound;
  const int result = next(name, function, version, flags, status);
  if (result != 0 || function == nullptr || *function == nullptr) return result;
  *function = std::strcmp(name, "cuGetProcAddress") == 0
                  ? own_get_proc_address(*function, version >= 12000)
                  : in_place_of(*function, name, version, flags);
  return result;
}

}  // namespace

#define SHOWN __attribute__((visibility("default")))
// The names are the driver's, and the arguments of this macro are lists with parentheses of their own.
// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses)

/// A function for programs that are linked to the driver.
#define LINKED(name, parameters, arguments)                                      \
  SHOWN int name parameters {                                                    \
    static void* const own = in_place_of(real_dlsym()(RTLD_NEXT, #name), #name); \
    if (own == nullptr) return kNotFound;                                        \
    return reinterpret_cast<int(*) parameters>(own) arguments;                   \
  }

extern "C" {

#define LINKED_ONE(name, version, when, parameters, arguments) \
  LINKED(name##version, parameters, arguments)
#define LINKED_TWO(name, version, twin, when, parameters, arguments) \
  LINKED(name##version, parameters, arguments)                       \
  LINKED(name##version##twin, parameters, arguments)
TACTUS_WAITING_CALLS(LINKED_ONE, LINKED_TWO)
TACTUS_STREAM_CALLS(LINKED_ONE, LINKED_TWO)
LINKED(cuCtxSynchronize_v2, (void* context), (context))
// The newer of two forms of a call, which have other arguments; as many as the older one has.
#define LINKED_NEWER(name, parameters, arguments) \
  LINKED(name##_v2, parameters, arguments)        \
  LINKED(name##_v2_ptsz, parameters, arguments)
LINKED_NEWER(cuMemPrefetchAsync,
             (Address memory, Size n, Size place, Pointer flags, Pointer stream),
             (memory, n, place, flags, stream))
LINKED_NEWER(cuMemcpyBatchAsync,
             (Pointer to, Pointer from, Pointer sizes, Size count, Pointer a, Pointer b, Size n,
              Pointer stream, Pointer none),
             (to, from, sizes, count, a, b, n, stream, none))
LINKED_NEWER(cuMemcpy3DBatchAsync,
             (Size n, Pointer list, Pointer flags, Pointer stream, Pointer none),
             (n, list, flags, stream, none))

SHOWN int cuGetProcAddress(const char* name, void** function, int version, Address flags) {
  if (g_get_proc_address == nullptr)
    g_get_proc_address =
        reinterpret_cast<GetProcAddress>(real_dlsym()(RTLD_NEXT, "cuGetProcAddress"));
  return get_proc_address(g_get_proc_address, name, function, version, flags, nullptr);
}
SHOWN int cuGetProcAddress_v2(const char* name, void** function, int version, Address flags,
                              void* status) {
  if (g_get_proc_address_v2 == nullptr)
    g_get_proc_address_v2 =
        reinterpret_cast<GetProcAddress>(real_dlsym()(RTLD_NEXT, "cuGetProcAddress_v2"));
  return get_proc_address(g_get_proc_address_v2, name, function, version, flags, status);
}

// What looks for the NEXT library must be seen to ask from where it is, or it would find itself: so
// `dlsym` jumps to the real one, with the caller's return address, where there is nothing of ours.

/// `dlsym` of the C library, for the jump. @pre tactus_own_symbol was called
__attribute__((used, visibility("hidden"))) void* tactus_real_dlsym = nullptr;

/// What `dlsym` returns; null: what the real one does.
__attribute__((used, visibility("hidden"))) void* tactus_own_symbol(void* handle,
                                                                    const char* name) {
  const auto real = real_dlsym();
  tactus_real_dlsym = reinterpret_cast<void*>(real);
  if (handle == RTLD_NEXT || name[0] != 'c' || name[1] != 'u') return nullptr;
  void* const found = behind(real(handle, name), name);
  if (std::strcmp(name, "cuGetProcAddress") == 0 || std::strcmp(name, "cuGetProcAddress_v2") == 0)
    return own_get_proc_address(found, name[16] != '\0');
  return in_place_of(found, name);
}

#if defined(__x86_64__)
asm(R"(
.text
.globl dlsym
.type dlsym, @function
dlsym:
  pushq %rdi
  pushq %rsi
  subq $8, %rsp
  call tactus_own_symbol
  addq $8, %rsp
  popq %rsi
  popq %rdi
  testq %rax, %rax
  jne 1f
  jmpq *tactus_real_dlsym(%rip)
1:
  ret
.size dlsym, .-dlsym
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl dlsym
.type dlsym, %function
dlsym:
  stp x0, x1, [sp, #-32]!
  str x30, [sp, #16]
  bl tactus_own_symbol
  mov x9, x0
  ldr x30, [sp, #16]
  ldp x0, x1, [sp], #32
  cbz x9, 1f
  mov x0, x9
  ret
1:
  adrp x16, tactus_real_dlsym
  ldr x16, [x16, :lo12:tactus_real_dlsym]
  br x16
.size dlsym, .-dlsym
)");
#else
#error "dlsym must jump, not call: write it for this processor"
#endif

SHOWN void tactus_watch_waits(const struct tactus_waits* waits) {
  automatic::stand_down("the program marks segments itself");
  for (auto& place : g_watched) {
    const tactus_waits* none = nullptr;
    if (place.load() == waits || place.compare_exchange_strong(none, waits)) return;
  }
}
}
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)

namespace {

void* own_get_proc_address(void* found, bool second) {
  if (found == nullptr || is_in_this_library(found)) return found;
  (second ? g_get_proc_address_v2 : g_get_proc_address) = reinterpret_cast<GetProcAddress>(found);
  return second ? reinterpret_cast<void*>(&cuGetProcAddress_v2)
                : reinterpret_cast<void*>(&cuGetProcAddress);
}

}  // namespace
