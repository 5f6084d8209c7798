// A libcuda.so.1 with streams that work by themselves, each on a thread of its own, and with the
// stream memory operations: what gates and marks need. Work is a pause that counts up.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "tests/fake_driver/fake_streams.hpp"

namespace {

using Address = unsigned long long;
constexpr int kInvalid = 1, kNotFound = 500;

/// What is enqueued happens in this order. Never ends: the process does.
class Stream {
 public:
  Stream() {
    std::thread([this] { work(); }).detach();
  }
  void add(std::function<void()> item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return items_.empty(); });
  }
  bool idle() {
    const std::lock_guard lock(mutex_);
    return items_.empty();
  }

 private:
  [[noreturn]] void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !items_.empty(); });
      const std::function<void()> item = items_.front();
      lock.unlock();
      item();
      lock.lock();
      items_.pop_front();
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> items_;
};

std::mutex g_mutex;
std::map<void*, Stream*> g_streams;

/// The default stream is there from the start.
Stream& stream_of(void* handle) {
  const std::lock_guard lock(g_mutex);
  Stream*& stream = g_streams[handle];
  if (stream == nullptr) stream = new Stream;
  return *stream;
}

std::atomic<std::uint32_t>& word_at(Address address) {
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(address);
}

/// Functions that a test wants to see fail.
bool fails(const char* function) {
  const char* const wanted = std::getenv("FAKE_STREAMS_FAIL");
  return wanted != nullptr && std::strcmp(wanted, function) == 0;
}

int g_context;

}  // namespace

void wait_for_all() {
  std::map<void*, Stream*> all;
  {
    const std::lock_guard lock(g_mutex);
    all = g_streams;
  }
  for (const auto& [handle, stream] : all) stream->wait();
}

bool is_pinned(Address memory) { return memory % 4096 == 0; }

extern "C" {

SHOWN int cuCtxGetCurrent(void** context) {
  *context = fails("cuCtxGetCurrent") ? nullptr : &g_context;
  return 0;
}
/// Does not wait: nothing here can see whether it does.
SHOWN int cuMemHostRegister_v2(void*, std::size_t, unsigned) {
  return fails("cuMemHostRegister") ? kInvalid : 0;
}
SHOWN int cuMemHostGetDevicePointer_v2(Address* device, void* memory, unsigned) {
  *device = reinterpret_cast<Address>(memory);
  return 0;
}
SHOWN int cuStreamCreate(void** stream, unsigned) {
  static std::atomic<std::uintptr_t> made = 0x1000;
  *stream = reinterpret_cast<void*>(made.fetch_add(0x10));
  stream_of(*stream);
  return 0;
}
SHOWN int cuStreamIsCapturing(void*, int* status) {
  *status = fails("capture") ? 1 : 0;
  return 0;
}
SHOWN int cuStreamWaitValue32_v2(void* stream, Address address, std::uint32_t value, unsigned) {
  if (fails("cuStreamWaitValue32")) return kInvalid;
  stream_of(stream).add([=] {
    while (static_cast<std::int32_t>(word_at(address).load() - value) < 0)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  });
  return 0;
}
SHOWN int cuStreamWriteValue32_v2(void* stream, Address address, std::uint32_t value, unsigned) {
  if (fails("cuStreamWriteValue32")) return kInvalid;
  stream_of(stream).add([=] { word_at(address).store(value); });
  return 0;
}
/// The one kernel there is: takes a time, then counts up.
SHOWN int fake_launch(void* stream, unsigned microseconds, std::atomic<unsigned>* count) {
  stream_of(stream).add([=] {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    count->fetch_add(1);
  });
  return 0;
}
SHOWN int cuStreamQuery(void* stream) { return stream_of(stream).idle() ? 0 : 600; }
SHOWN int cuStreamSynchronize(void* stream) {
  stream_of(stream).wait();
  return 0;
}
SHOWN int cuStreamSynchronize_ptsz(void* stream) {
  stream_of(stream).wait();
  return 0;
}
SHOWN int cuCtxSynchronize() {
  wait_for_all();
  return 0;
}
/// Since CUDA 13, under the same name for cuGetProcAddress.
SHOWN int cuCtxSynchronize_v2(void* context) {
  if (context != &g_context) return kInvalid;
  wait_for_all();
  return 0;
}
SHOWN int cuMemAlloc_v2(Address* address, std::size_t bytes) {
  wait_for_all();
  *address = reinterpret_cast<Address>(std::malloc(bytes));
  return 0;
}
SHOWN int cuMemFree_v2(Address address) {
  wait_for_all();
  std::free(reinterpret_cast<void*>(address));
  return 0;
}
SHOWN int cuPointerGetAttribute(void*, int, Address memory) {
  return is_pinned(memory) ? 0 : kInvalid;
}
SHOWN int cuModuleGetFunction(void** function, void* module, const char*) {
  *function = module;
  return 0;
}
/// Of the only kernel there is in a module: it writes a word.
SHOWN int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, void* stream, void** parameters, void**) {
  const Address address = *static_cast<Address*>(parameters[0]);
  const std::uint32_t value = *static_cast<std::uint32_t*>(parameters[1]);
  stream_of(stream).add([=] { word_at(address).store(value); });
  return 0;
}
SHOWN int cuModuleLoadData(void** module, const void*) {
  if (fails("cuModuleLoadData")) return kInvalid;
  wait_for_all();
  *module = &g_context;
  return 0;
}
/// As the runtime library of CUDA finds the driver's functions.
SHOWN int cuGetProcAddress_v2(const char* name, void** function, int version, Address flags,
                              void*) {
  const bool twin = (flags & 2) != 0;
  const std::map<std::string, void*> all = {
      {"cuStreamSynchronize", twin ? reinterpret_cast<void*>(&cuStreamSynchronize_ptsz)
                                   : reinterpret_cast<void*>(&cuStreamSynchronize)},
      {"cuCtxSynchronize", version >= 13000 ? reinterpret_cast<void*>(&cuCtxSynchronize_v2)
                                            : reinterpret_cast<void*>(&cuCtxSynchronize)},
      {"cuMemAlloc", reinterpret_cast<void*>(&cuMemAlloc_v2)},
      {"cuMemFree", reinterpret_cast<void*>(&cuMemFree_v2)},
      {"cuMemHostRegister", reinterpret_cast<void*>(&cuMemHostRegister_v2)},
      {"cuModuleLoadData", reinterpret_cast<void*>(&cuModuleLoadData)},
  };
  const auto found = all.find(name);
  *function = found == all.end() ? listed_call(name, twin) : found->second;
  return *function == nullptr ? kNotFound : 0;
}
}
