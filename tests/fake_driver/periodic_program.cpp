// A "CUDA program" for tests: a copy, two launches and a wait every 10 ms, 20 times. The argument says
// how it finds the driver's functions: linked, dlsym, everywhere (dlsym in all libraries) or table
// (cuGetProcAddress). With "segments" it marks each job as a segment and never pauses; with "unfinished"
// it does not wait for its work.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

extern "C" {
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**);
int cuMemcpyHtoD_v2(unsigned long long, const void*, std::size_t);
int cuStreamSynchronize(void*);
int cuGetProcAddress_v2(const char*, void**, int, unsigned long long, void*);
int tactus_segment_begin(int) { return 0; }
int tactus_segment_end() { return 0; }
}

namespace {

struct Driver {
  decltype(&cuLaunchKernel) launch = cuLaunchKernel;
  decltype(&cuMemcpyHtoD_v2) copy = cuMemcpyHtoD_v2;
  decltype(&cuStreamSynchronize) wait = cuStreamSynchronize;
};

template <typename Function>
void look_up(Function& function, void* library, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

template <typename Function>
void look_up(Function& function, decltype(&cuGetProcAddress_v2) get, const char* name) {
  void* found = nullptr;
  get(name, &found, 13000, 0, nullptr);
  function = reinterpret_cast<Function>(found);
}

Driver found(const char* how) {
  Driver driver;
  if (std::strcmp(how, "linked") == 0) return driver;
  void* const library =
      std::strcmp(how, "everywhere") == 0 ? RTLD_DEFAULT : dlopen("libcuda.so.1", RTLD_NOW);
  if (std::strcmp(how, "table") == 0) {
    decltype(&cuGetProcAddress_v2) get = nullptr;
    look_up(get, library, "cuGetProcAddress_v2");
    look_up(driver.launch, get, "cuLaunchKernel");
    look_up(driver.copy, get, "cuMemcpyHtoD");
    look_up(driver.wait, get, "cuStreamSynchronize");
    return driver;
  }
  look_up(driver.launch, library, "cuLaunchKernel");
  look_up(driver.copy, library, "cuMemcpyHtoD_v2");
  look_up(driver.wait, library, "cuStreamSynchronize");
  return driver;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "linked";
  const bool segments = std::strcmp(how, "segments") == 0;
  const bool unfinished = std::strcmp(how, "unfinished") == 0;
  const Driver driver = found(segments || unfinished ? "linked" : how);
  const char data[4096] = {};
  for (int job = 0; job < 20; ++job) {
    if (!segments && !unfinished) driver.copy(0, data, sizeof data);
    // Not its own functions, but those that come first in the whole program.
    if (segments) reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "tactus_segment_begin"))(70);
    for (int i = 0; i < 2; ++i) {
      driver.launch(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
    }
    if (!unfinished) driver.wait(nullptr);
    if (segments) reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "tactus_segment_end"))();
    if (!segments) usleep(10'000);
  }
  return 0;
}
