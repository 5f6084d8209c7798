// The functions of the list: each waits for all streams, and says that it was called, and with what.
// Asynchronous copies wait only for pageable memory.
#include <cstring>
#include <map>
#include <string>

#include "tests/fake_driver/fake_streams.hpp"
#include "tests/fake_driver/waiting_calls.hpp"

using fake_waits::Address;
using fake_waits::Size;

namespace {

template <typename First, typename... Others>
int waited(const char* name, First first, Others... others) {
  bool waits = std::strstr(name, "Async") == nullptr;
  if constexpr (sizeof...(others) > 0) {
    const Address ends[] = {(Address)first, (Address)others...};
    waits = waits || !is_pinned(ends[0]) || !is_pinned(ends[1]);
  }
  if (waits) wait_for_all();
  return fake_waits::digest(name, first, others...);
}

}  // namespace

#define NAMED1(A) A a
#define NAMED2(A, B) A a, B b
#define NAMED3(A, B, C) A a, B b, C c
#define NAMED4(A, B, C, D) A a, B b, C c, D d
#define NAMED5(A, B, C, D, E) A a, B b, C c, D d, E e
#define NAMED8(A, B, C, D, E, F, G, H) A a, B b, C c, D d, E e, F f, G g, H h
#define NAMES1 a
#define NAMES2 a, b
#define NAMES3 a, b, c
#define NAMES4 a, b, c, d
#define NAMES5 a, b, c, d, e
#define NAMES8 a, b, c, d, e, f, g, h
#define WAITS(name, count, types) \
  SHOWN int name(NAMED##count types) { return waited(#name, NAMES##count); }
#define ONE(base, version, count, types) WAITS(base##version, count, types)
#define TWO(base, version, twin, count, types) \
  WAITS(base##version, count, types)           \
  WAITS(base##version##twin, count, types)

extern "C" {
WAITING_CALLS(ONE, TWO)
}
#undef ONE
#undef TWO

void* listed_call(const char* base, bool twin) {
  struct Forms {
    void *plain, *twin;
  };
#define ONE(base, version, count, types) \
  {#base, {reinterpret_cast<void*>(&base##version), nullptr}},
#define TWO(base, version, twin, count, types) \
  {#base, {reinterpret_cast<void*>(&base##version), reinterpret_cast<void*>(&base##version##twin)}},
  static const std::map<std::string, Forms> all = {WAITING_CALLS(ONE, TWO)};
  const auto found = all.find(base);
  if (found == all.end()) return nullptr;
  return twin && found->second.twin != nullptr ? found->second.twin : found->second.plain;
}
