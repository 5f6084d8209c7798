// A libcuda.so.1 with one GPU that works by itself and lies in wait: streams with the order that
// CUDA documents and no other (an order that nothing asks for is drawn), default streams of both
// kinds, events, captures, graphs, host functions, queues that fill up, kernels that are loaded when
// they are first launched. What blocks inside the driver blocks with its lock held. Captures see
// what must not be in them. Its memory is memory of the program.
#include "tests/fake_driver/fake_gpu.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#define SHOWN __attribute__((visibility("default")))

namespace {

using Address = unsigned long long;
using Size = std::size_t;
using Clock = std::chrono::steady_clock;
using Lock = std::unique_lock<std::mutex>;
using Guard = std::lock_guard<std::mutex>;

constexpr int kInvalid = 1, kNotReady = 600, kNotFound = 500;
constexpr int kUnsupported = 900, kInvalidated = 901, kImplicit = 906, kIllegalState = 401;
constexpr std::size_t kDepth = 1024;
constexpr int kGlobal = 0, kRelaxed = 2;
constexpr std::uintptr_t kLegacy = 0;

struct Done {
  bool done = false;
};
using DonePtr = std::shared_ptr<Done>;

struct Op {
  std::uint64_t order = 0;
  std::function<void()> effect;
  std::function<bool()> ready;  ///< none: at once
  bool on_host = false;         ///< the effect is a function of the program
  bool of_the_program = true;   ///< neither a gate nor a mark
  Clock::duration takes{};
  DonePtr done = std::make_shared<Done>();
  bool started = false;
  Clock::time_point ends;
};

struct Graph {
  std::vector<std::function<void()>> steps;
  bool valid = true;
};
using GraphPtr = std::shared_ptr<Graph>;

struct Stream {
  bool blocking = true;
  std::deque<std::shared_ptr<Op>> ops;
  GraphPtr capture;
  bool origin = false;
  int mode = 0;
  Address gate = 0;  ///< the last that it passed
  std::uint32_t segment = 0;
};
struct Event {
  DonePtr record;
  GraphPtr capture;
};

/// Never destroyed: the GPU works to the end of the process.
struct Gpu {
  std::mutex driver;  ///< of every call, but not while it waits as documented
  std::mutex mutex;   ///< of all below
  std::condition_variable changed, finished;
  std::map<std::uintptr_t, Stream> streams;
  std::map<void*, Event> events;
  std::map<void*, GraphPtr> graphs;
  std::map<Address, Size> memory;  ///< that the GPU can reach
  std::set<void*> loaded;
  std::uint64_t order = 0;
  std::uintptr_t handles = 0x1000;
  unsigned long unowned = 0;  ///< work that ran when the arbiter thought that its segment was over
  std::minstd_rand chance{12345};

  Gpu() { streams[kLegacy]; }
};
int g_contexts[4];
void* const kStarted = &g_contexts[3];  ///< the kernel of modules: it writes a word
thread_local int t_mode = kGlobal;
thread_local char t_stream = 0;
thread_local void* t_context = &g_contexts[0];

[[noreturn]] void work(Gpu& gpu);

Gpu& gpu() {
  static Gpu* const all = [] {
    auto* const made = new Gpu;
    std::thread([made] { work(*made); }).detach();
    return made;
  }();
  return *all;
}

std::uintptr_t key_of(void* handle, bool twin) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number == 2 || (number == 0 && twin)) return reinterpret_cast<std::uintptr_t>(&t_stream);
  return number == 1 ? kLegacy : number;
}

std::atomic<std::uint32_t>& word_at(Address address) {
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(address);
}

void fault(const char* what) {
  std::fprintf(stderr, "fake GPU: %s\n", what);
  _exit(99);
}

// The GPU. All with its lock held.

bool before(const Stream& stream, const Op& op) {
  return !stream.ops.empty() && stream.ops.front()->order < op.order;
}

/// May the head of this stream begin?
bool is_its_turn(Gpu& gpu, std::uintptr_t key, const Stream& stream) {
  const Op& op = *stream.ops.front();
  if (op.started) return true;
  if (key == kLegacy) {
    for (const auto& [other, there] : gpu.streams) {
      if (other != kLegacy && there.blocking && before(there, op)) return false;
    }
  } else if (stream.blocking && before(gpu.streams[kLegacy], op)) {
    return false;
  }
  return !op.ready || op.ready();
}

/// @return whether anything happened
bool step(Gpu& gpu, std::uintptr_t key, Stream& stream) {
  if (stream.ops.empty() || !is_its_turn(gpu, key, stream)) return false;
  const std::shared_ptr<Op> op = stream.ops.front();
  if (!op->started) {
    op->started = true;
    op->ends = Clock::now() + op->takes;
    if (op->on_host) {
      std::thread([&gpu, op] {
        op->effect();
        const Guard guard(gpu.mutex);
        op->on_host = false;
        op->effect = nullptr;
        gpu.changed.notify_all();
      }).detach();
    }
  }
  if (op->on_host || Clock::now() < op->ends) return false;
  if (op->of_the_program && stream.gate != 0) {
    // The word behind the gate's in the page: what the arbiter has seen complete.
    const std::uint32_t complete = word_at(stream.gate + 4).load();
    if (static_cast<std::int32_t>(complete - stream.segment) >= 0) ++gpu.unowned;
  }
  if (op->effect) op->effect();
  op->done->done = true;
  stream.ops.pop_front();
  gpu.finished.notify_all();
  return true;
}

void work(Gpu& gpu) {
  Lock lock(gpu.mutex);
  for (;;) {
    bool any = false;
    std::vector<std::uintptr_t> keys;
    for (const auto& [key, stream] : gpu.streams) {
      if (!stream.ops.empty()) keys.push_back(key);
    }
    if (keys.size() > 1) std::swap(keys[0], keys[gpu.chance() % keys.size()]);
    for (const std::uintptr_t key : keys) any = step(gpu, key, gpu.streams[key]) || any;
    if (any) continue;
    if (keys.empty()) {
      gpu.changed.wait(lock);
    } else {
      gpu.changed.wait_for(lock, std::chrono::microseconds(20));
    }
  }
}

// The driver.

/// Does it touch the legacy stream while a stream that waits for that is captured?
bool breaks_a_capture(Gpu& gpu, std::uintptr_t key) {
  if (key != kLegacy) return false;
  for (auto& [other, stream] : gpu.streams) {
    if (other == kLegacy || !stream.blocking || stream.capture == nullptr) continue;
    stream.capture->valid = false;
    return true;
  }
  return false;
}

/// Is this thread forbidden what might interfere with a capture? Then it has broken it.
bool is_forbidden(Gpu& gpu) {
  if (t_mode == kRelaxed) return false;
  bool forbidden = false;
  for (auto& [key, stream] : gpu.streams) {
    if (stream.capture == nullptr || !stream.origin || stream.mode != kGlobal) continue;
    stream.capture->valid = false;
    forbidden = true;
  }
  return forbidden;
}

int enqueue(std::uintptr_t key, Op op, bool of_the_program = true) {
  Gpu& all = gpu();
  Lock lock(all.mutex);
  if (breaks_a_capture(all, key)) return kImplicit;
  if (key != kLegacy && key <= all.handles && all.streams.find(key) == all.streams.end())
    fault("work for a stream that is gone");
  Stream& stream = all.streams[key];
  if (stream.capture != nullptr) {
    if (!of_the_program) fault("a gate or a mark was captured");
    if (op.effect) stream.capture->steps.push_back(op.effect);
    return 0;
  }
  all.finished.wait(lock, [&] { return stream.ops.size() < kDepth; });
  op.order = ++all.order;
  op.of_the_program = of_the_program;
  stream.ops.push_back(std::make_shared<Op>(std::move(op)));
  all.changed.notify_all();
  return 0;
}

void wait_for(const std::vector<DonePtr>& all) {
  Lock lock(gpu().mutex);
  for (const DonePtr& one : all) gpu().finished.wait(lock, [&] { return !one || one->done; });
}

/// What is now in this stream, and in those that it waits for; or in all.
std::vector<DonePtr> work_in(std::uintptr_t key, bool everywhere = false) {
  const Guard guard(gpu().mutex);
  std::vector<DonePtr> all;
  for (const auto& [other, stream] : gpu().streams) {
    const bool counts = everywhere || other == key || (key == kLegacy && stream.blocking);
    if (counts && !stream.ops.empty()) all.push_back(stream.ops.back()->done);
  }
  return all;
}
void wait_for_all() { wait_for(work_in(kLegacy, true)); }

bool forbidden_now() {
  const Guard guard(gpu().mutex);
  return is_forbidden(gpu());
}

/// Pauses between what follows, now and then.
Clock::duration some_time() {
  thread_local std::minstd_rand chance{77};
  return std::chrono::microseconds(chance() % 8 == 0 ? chance() % 150 : 0);
}

bool reaches(Address memory) {
  const Guard guard(gpu().mutex);
  const auto after = gpu().memory.upper_bound(memory);
  if (after == gpu().memory.begin()) return false;
  const auto at = std::prev(after);
  return memory < at->first + at->second;
}

/// The first launch: the driver waits for the whole GPU, and nobody else can call it.
void load(void* code) {
  {
    const Guard guard(gpu().mutex);
    for (const auto& [key, stream] : gpu().streams) {
      if (stream.capture != nullptr) return;
    }
    if (!gpu().loaded.insert(code).second) return;
  }
  wait_for_all();
}

int launch(void* code, std::uintptr_t key, void** values) {
  const Guard driver(gpu().driver);
  Op op;
  if (code == kStarted) {
    const Address address = *static_cast<Address*>(values[0]);
    const std::uint32_t value = *static_cast<std::uint32_t*>(values[1]);
    op.effect = [=] { word_at(address).store(value); };
    return enqueue(key, std::move(op), false);
  }
  load(code);
  auto* const word = *static_cast<std::uint64_t**>(values[0]);
  const std::uint64_t with = *static_cast<std::uint64_t*>(values[1]);
  if (code == fake_gpu::kernel_that_waits()) {
    op.ready = [=] { return *word == with; };
    return enqueue(key, std::move(op));
  }
  const std::uintptr_t number = fake_gpu::number_of(code);
  op.effect = [=] { *word = fake_gpu::after_kernel(*word, number, with); };
  op.takes = some_time();
  return enqueue(key, std::move(op));
}

int copy(Address to, Address from, Size n, std::uintptr_t key) {
  const Guard driver(gpu().driver);
  Op op;
  op.effect = [=] {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), n);
  };
  op.takes = some_time();
  return enqueue(key, std::move(op));
}
int copy_and_wait(Address to, Address from, Size n, std::uintptr_t key) {
  if (const int result = copy(to, from, n, key); result != 0) return result;
  wait_for(work_in(key));
  return 0;
}
int async_copy(Address to, Address from, Size n, std::uintptr_t key) {
  return reaches(to) && reaches(from) ? copy(to, from, n, key) : copy_and_wait(to, from, n, key);
}

int set(Address to, unsigned char value, Size n, std::uintptr_t key) {
  const Guard driver(gpu().driver);
  Op op;
  op.effect = [=] { std::memset(reinterpret_cast<void*>(to), value, n); };
  return enqueue(key, std::move(op));
}

int call_on_host(std::uintptr_t key, void (*function)(void*), void* data) {
  const Guard driver(gpu().driver);
  Op op;
  op.on_host = true;
  op.effect = [=] { function(data); };
  return enqueue(key, std::move(op));
}

int record(void* event, std::uintptr_t key) {
  const Guard driver(gpu().driver);
  Op op;
  const DonePtr done = op.done;
  {
    const Guard guard(gpu().mutex);
    const auto at = gpu().streams.find(key);
    const GraphPtr capture = at != gpu().streams.end() ? at->second.capture : nullptr;
    gpu().events[event] = {capture != nullptr ? nullptr : done, capture};
    if (capture != nullptr) return 0;
  }
  return enqueue(key, std::move(op));
}

int wait_event(std::uintptr_t key, void* event) {
  const Guard driver(gpu().driver);
  Op op;
  {
    const Guard guard(gpu().mutex);
    const Event& there = gpu().events[event];
    if (there.capture != nullptr) {  // the stream joins the capture
      gpu().streams[key].capture = there.capture;
      return 0;
    }
    if (const DonePtr done = there.record) op.ready = [=] { return done->done; };
  }
  return enqueue(key, std::move(op));
}

int begin_capture(std::uintptr_t key, int mode) {
  const Guard driver(gpu().driver);
  const Guard guard(gpu().mutex);
  if (key == kLegacy) return kInvalid;
  Stream& stream = gpu().streams[key];
  if (stream.capture != nullptr) return kIllegalState;
  stream.capture = std::make_shared<Graph>();
  stream.origin = true;
  stream.mode = mode;
  return 0;
}
int end_capture(std::uintptr_t key, void** graph) {
  const Guard driver(gpu().driver);
  const Guard guard(gpu().mutex);
  Stream& origin = gpu().streams[key];
  const GraphPtr made = origin.capture;
  if (made == nullptr) return kIllegalState;
  for (auto& [other, stream] : gpu().streams) {
    if (stream.capture == made) stream.capture = nullptr;
  }
  origin.origin = false;
  *graph = nullptr;
  if (!made->valid) return kInvalidated;
  *graph = reinterpret_cast<void*>(gpu().handles += 0x10);
  gpu().graphs[*graph] = made;
  return 0;
}

int launch_graph(void* graph, std::uintptr_t key) {
  const Guard driver(gpu().driver);
  load(graph);
  GraphPtr made;
  {
    const Guard guard(gpu().mutex);
    made = gpu().graphs[graph];
  }
  if (made == nullptr) return kInvalid;
  Op op;
  op.effect = [made] {
    for (const auto& one : made->steps) one();
  };
  return enqueue(key, std::move(op));
}

int wait_value(std::uintptr_t key, Address address, std::uint32_t value) {
  const Guard driver(gpu().driver);
  Op op;
  op.ready = [=] { return static_cast<std::int32_t>(word_at(address).load() - value) >= 0; };
  op.effect = [=] {
    Stream& stream = gpu().streams[key];
    stream.gate = address;
    stream.segment = value;
  };
  return enqueue(key, std::move(op), false);
}
int write_value(std::uintptr_t key, Address address, std::uint32_t value) {
  const Guard driver(gpu().driver);
  Op op;
  op.effect = [=] { word_at(address).store(value); };
  return enqueue(key, std::move(op), false);
}

int query(std::uintptr_t key) {
  for (const DonePtr& one : work_in(key)) {
    const Guard guard(gpu().mutex);
    if (!one->done) return kNotReady;
  }
  return 0;
}

int synchronize(std::uintptr_t key) {
  wait_for(work_in(key));
  return 0;
}

int allocate(Address* address, Size n) {
  if (forbidden_now()) return kUnsupported;
  wait_for_all();
  *address = reinterpret_cast<Address>(std::calloc(1, n));
  const Guard guard(gpu().mutex);
  gpu().memory[*address] = n;
  return 0;
}
int release(Address address) {
  wait_for_all();
  {
    const Guard guard(gpu().mutex);
    gpu().memory.erase(address);
  }
  std::free(reinterpret_cast<void*>(address));
  return 0;
}
/// In the order of the stream; the memory is there at once.
int allocate_in_order(Address* address, Size n, std::uintptr_t key) {
  const Guard driver(gpu().driver);
  *address = reinterpret_cast<Address>(std::calloc(1, n));
  {
    const Guard guard(gpu().mutex);
    gpu().memory[*address] = n;
  }
  return enqueue(key, Op());
}
int release_in_order(Address address, std::uintptr_t key) {
  const Guard driver(gpu().driver);
  Op op;
  op.effect = [=] {
    gpu().memory.erase(address);
    std::free(reinterpret_cast<void*>(address));
  };
  return enqueue(key, std::move(op));
}

}  // namespace

extern "C" {

SHOWN int cuInit(unsigned) { return 0; }
SHOWN unsigned long fake_gpu_unowned() {
  const Guard guard(gpu().mutex);
  return gpu().unowned;
}
SHOWN int cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}
/// With a variable it says that there is MPS.
SHOWN int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 133 && std::getenv("FAKE_GPU_MPS") != nullptr ? 1 : 0;
  return 0;
}
SHOWN int cuCtxGetCurrent(void** context) {
  *context = t_context;
  return 0;
}
SHOWN int cuCtxSetCurrent(void* context) {
  t_context = context;
  return 0;
}
/// There are three.
SHOWN int cuCtxCreate_v2(void** context, unsigned flags, int) {
  *context = t_context = &g_contexts[flags % 3];
  return 0;
}
SHOWN int cuThreadExchangeStreamCaptureMode(int* mode) {
  std::swap(t_mode, *mode);
  return 0;
}
SHOWN int cuMemHostRegister_v2(void*, Size, unsigned) {
  if (forbidden_now()) return kUnsupported;
  wait_for_all();
  return 0;
}
SHOWN int cuMemHostGetDevicePointer_v2(Address* device, void* memory, unsigned) {
  *device = reinterpret_cast<Address>(memory);
  return 0;
}
SHOWN int cuModuleLoadData(void** module, const void*) {
  if (forbidden_now()) return kUnsupported;
  wait_for_all();
  *module = kStarted;
  return 0;
}
SHOWN int cuModuleGetFunction(void** function, void* module, const char*) {
  *function = module;
  return 0;
}
SHOWN int cuPointerGetAttribute(void* type, int, Address memory) {
  if (!reaches(memory)) return kInvalid;
  *static_cast<unsigned*>(type) = 1;
  return 0;
}
SHOWN int cuMemAlloc_v2(Address* address, Size n) { return allocate(address, n); }
SHOWN int cuMemFree_v2(Address address) { return release(address); }
SHOWN int cuCtxSynchronize() {
  wait_for_all();
  return 0;
}
SHOWN int cuStreamCreate(void** stream, unsigned flags) {
  const Guard driver(gpu().driver);
  const Guard guard(gpu().mutex);
  *stream = reinterpret_cast<void*>(gpu().handles += 0x10);
  gpu().streams[gpu().handles].blocking = (flags & 1) == 0;
  return 0;
}
/// Its work is seen through, by a thread of the driver.
SHOWN int cuStreamDestroy_v2(void* handle) {
  const std::uintptr_t key = key_of(handle, false);
  const Guard driver(gpu().driver);
  Lock lock(gpu().mutex);
  const auto at = gpu().streams.find(key);
  if (at == gpu().streams.end()) return kInvalid;
  if (at->second.ops.empty()) {
    gpu().streams.erase(at);
    return 0;
  }
  const std::uintptr_t hidden = key | std::uintptr_t{1} << 60;
  gpu().streams[hidden] = std::move(at->second);
  gpu().streams.erase(key);
  return 0;
}
SHOWN int cuStreamIsCapturing(void* stream, int* status) {
  const std::uintptr_t key = key_of(stream, false);
  const Guard guard(gpu().mutex);
  const auto at = gpu().streams.find(key);
  *status = at != gpu().streams.end() && at->second.capture != nullptr ? 1 : 0;
  for (const auto& [other, there] : gpu().streams) {
    if (key == kLegacy && other != kLegacy && there.blocking && there.capture != nullptr)
      return kImplicit;
  }
  return 0;
}
SHOWN int cuEventCreate(void** event, unsigned) {
  const Guard guard(gpu().mutex);
  *event = reinterpret_cast<void*>(gpu().handles += 0x10);
  return 0;
}
SHOWN int cuEventDestroy_v2(void* event) {
  const Guard guard(gpu().mutex);
  gpu().events.erase(event);
  return 0;
}
SHOWN int cuEventQuery(void* event) {
  const Guard guard(gpu().mutex);
  const DonePtr record = gpu().events[event].record;
  return record == nullptr || record->done ? 0 : kNotReady;
}
SHOWN int cuEventSynchronize(void* event) {
  DonePtr record;
  {
    const Guard guard(gpu().mutex);
    record = gpu().events[event].record;
  }
  wait_for({record});
  return 0;
}
SHOWN int cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long) {
  const Guard driver(gpu().driver);
  const Guard guard(gpu().mutex);
  *made = reinterpret_cast<void*>(gpu().handles += 0x10);
  gpu().graphs[*made] = gpu().graphs[graph];
  return 0;
}
SHOWN int cuGraphDestroy(void* graph) {
  const Guard guard(gpu().mutex);
  gpu().graphs.erase(graph);
  return 0;
}
SHOWN int cuGraphExecDestroy(void* graph) { return cuGraphDestroy(graph); }

// Each with its twin, whose default stream is one per thread.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define BOTH(name, version, end, parameters, body) \
  SHOWN int name##version parameters {             \
    constexpr bool twin = false;                   \
    return body;                                   \
  }                                                \
  SHOWN int name##version##end parameters {        \
    constexpr bool twin = true;                    \
    return body;                                   \
  }
BOTH(cuLaunchKernel, , _ptsz,
     (void* code, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
      void* stream, void** values, void**),
     launch(code, key_of(stream, twin), values))
BOTH(cuGraphLaunch, , _ptsz, (void* graph, void* stream), launch_graph(graph, key_of(stream, twin)))
BOTH(cuLaunchHostFunc, , _ptsz, (void* stream, void (*function)(void*), void* data),
     call_on_host(key_of(stream, twin), function, data))
BOTH(cuMemcpyHtoDAsync, _v2, _ptsz, (Address to, const void* from, Size n, void* stream),
     async_copy(to, reinterpret_cast<Address>(from), n, key_of(stream, twin)))
BOTH(cuMemcpyDtoHAsync, _v2, _ptsz, (void* to, Address from, Size n, void* stream),
     async_copy(reinterpret_cast<Address>(to), from, n, key_of(stream, twin)))
BOTH(cuMemcpyDtoDAsync, _v2, _ptsz, (Address to, Address from, Size n, void* stream),
     async_copy(to, from, n, key_of(stream, twin)))
BOTH(cuMemcpyHtoD, _v2, _ptds, (Address to, const void* from, Size n),
     copy_and_wait(to, reinterpret_cast<Address>(from), n, key_of(nullptr, twin)))
BOTH(cuMemcpyDtoH, _v2, _ptds, (void* to, Address from, Size n),
     copy_and_wait(reinterpret_cast<Address>(to), from, n, key_of(nullptr, twin)))
BOTH(cuMemsetD8Async, , _ptsz, (Address to, unsigned char value, Size n, void* stream),
     set(to, value, n, key_of(stream, twin)))
BOTH(cuMemAllocAsync, , _ptsz, (Address * address, Size n, void* stream),
     allocate_in_order(address, n, key_of(stream, twin)))
BOTH(cuMemFreeAsync, , _ptsz, (Address address, void* stream),
     release_in_order(address, key_of(stream, twin)))
BOTH(cuEventRecord, , _ptsz, (void* event, void* stream), record(event, key_of(stream, twin)))
BOTH(cuStreamWaitEvent, , _ptsz, (void* stream, void* event, unsigned),
     wait_event(key_of(stream, twin), event))
BOTH(cuStreamWaitValue32, _v2, _ptsz, (void* stream, Address at, std::uint32_t value, unsigned),
     wait_value(key_of(stream, twin), at, value))
BOTH(cuStreamWriteValue32, _v2, _ptsz, (void* stream, Address at, std::uint32_t value, unsigned),
     write_value(key_of(stream, twin), at, value))
BOTH(cuStreamBeginCapture, _v2, _ptsz, (void* stream, int mode),
     begin_capture(key_of(stream, twin), mode))
BOTH(cuStreamEndCapture, , _ptsz, (void* stream, void** graph),
     end_capture(key_of(stream, twin), graph))
BOTH(cuStreamQuery, , _ptsz, (void* stream), query(key_of(stream, twin)))
BOTH(cuStreamSynchronize, , _ptsz, (void* stream), synchronize(key_of(stream, twin)))
// NOLINTEND(bugprone-macro-parentheses)

/// As the runtime library of CUDA finds the driver's functions.
SHOWN int cuGetProcAddress_v2(const char* name, void** function, int, Address flags, void*) {
#define HERE(name, version)                                 \
  {                                                         \
#name, { (void*)&name##version, (void*)&name##version } \
  }
#define HERE_TWICE(name, version, end)                           \
  {                                                              \
#name, { (void*)&name##version, (void*)&name##version##end } \
  }
  static const std::map<std::string, std::pair<void*, void*>> all = {
      HERE(cuCtxSynchronize, ),
      HERE(cuMemAlloc, _v2),
      HERE(cuMemFree, _v2),
      HERE(cuStreamCreate, ),
      HERE(cuStreamDestroy, _v2),
      HERE(cuEventCreate, ),
      HERE(cuEventDestroy, _v2),
      HERE(cuEventQuery, ),
      HERE(cuEventSynchronize, ),
      HERE(cuGraphInstantiateWithFlags, ),
      HERE(cuGraphDestroy, ),
      HERE(cuGraphExecDestroy, ),
      HERE_TWICE(cuLaunchKernel, , _ptsz),
      HERE_TWICE(cuGraphLaunch, , _ptsz),
      HERE_TWICE(cuLaunchHostFunc, , _ptsz),
      HERE_TWICE(cuMemcpyHtoDAsync, _v2, _ptsz),
      HERE_TWICE(cuMemcpyDtoHAsync, _v2, _ptsz),
      HERE_TWICE(cuMemcpyDtoDAsync, _v2, _ptsz),
      HERE_TWICE(cuMemcpyHtoD, _v2, _ptds),
      HERE_TWICE(cuMemcpyDtoH, _v2, _ptds),
      HERE_TWICE(cuMemsetD8Async, , _ptsz),
      HERE_TWICE(cuMemAllocAsync, , _ptsz),
      HERE_TWICE(cuMemFreeAsync, , _ptsz),
      HERE_TWICE(cuEventRecord, , _ptsz),
      HERE_TWICE(cuStreamWaitEvent, , _ptsz),
      HERE_TWICE(cuStreamBeginCapture, _v2, _ptsz),
      HERE_TWICE(cuStreamEndCapture, , _ptsz),
      HERE_TWICE(cuStreamQuery, , _ptsz),
      HERE_TWICE(cuStreamSynchronize, , _ptsz),
  };
  const auto found = all.find(name);
  *function = found == all.end() ? nullptr
              : (flags & 2) != 0 ? found->second.second
                                 : found->second.first;
  return *function == nullptr ? kNotFound : 0;
}
}
