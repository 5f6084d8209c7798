// A libcuda.so.1 whose calls take the time that a test wants, and do nothing.
#include <unistd.h>

#include <cstring>

#define SHOWN __attribute__((visibility("default")))

extern "C" {

SHOWN int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, void*, void**, void**) {
  return 0;
}
SHOWN int cuMemcpyHtoD_v2(unsigned long long, const void*, std::size_t) {
  usleep(1000);
  return 0;
}
SHOWN int cuStreamSynchronize(void*) {
  usleep(3000);
  return 0;
}
SHOWN int cuStreamQuery(void*) {
  static int asked = 0;
  return ++asked % 2 == 0 ? 0 : 600;  // not ready at first
}
SHOWN int cuGetProcAddress_v2(const char* name, void** function, int, unsigned long long, void*) {
  *function = nullptr;
  if (std::strcmp(name, "cuLaunchKernel") == 0) {
    *function = reinterpret_cast<void*>(&cuLaunchKernel);
  }
  if (std::strcmp(name, "cuMemcpyHtoD") == 0) {
    *function = reinterpret_cast<void*>(&cuMemcpyHtoD_v2);
  }
  if (std::strcmp(name, "cuStreamSynchronize") == 0) {
    *function = reinterpret_cast<void*>(&cuStreamSynchronize);
  }
  return *function == nullptr ? 500 : 0;
}
}
