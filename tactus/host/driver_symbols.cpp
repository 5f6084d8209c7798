#include "tactus/host/driver_symbols.hpp"

#include <dlfcn.h>
#include <string.h>

#include <initializer_list>

namespace tactus::host {

FindSymbol real_dlsym() {
  static constinit std::atomic<void*> real{nullptr};
  void* found = real.load(std::memory_order_relaxed);
  if (found == nullptr) found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (found == nullptr) found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  if (found == nullptr) found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");  // of aarch64
  real.store(found, std::memory_order_relaxed);
  return reinterpret_cast<FindSymbol>(found);
}

DriverName driver_name(const char* name) {
  DriverName result;
  if (strlen(name) >= sizeof result.base) return result;
  strcpy(result.base, name);
  for (const char* suffix : {"_ptsz", "_ptds", "_v2"}) {
    const auto length = strlen(result.base), cut = strlen(suffix);
    if (length <= cut || strcmp(result.base + length - cut, suffix) != 0) continue;
    result.base[length - cut] = '\0';
  }
  return result;
}

bool is_in_this_library(void* function) {
  static const int anchor = 0;
  Dl_info there{}, here{};
  return dladdr(function, &there) != 0 && dladdr(&anchor, &here) != 0 &&
         there.dli_fbase == here.dli_fbase;
}

std::size_t place_of(void* function, Forms& forms) {
  for (std::size_t place = 0; place < kForms; ++place) {
    void* there = nullptr;
    if (forms[place].compare_exchange_strong(there, function) || there == function) return place;
  }
  return kForms;
}

}  // namespace tactus::host
