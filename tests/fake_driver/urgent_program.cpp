// A "CUDA program" that marks nothing, over a GPU that is not there:
//
//     urgent_program JOBS [WHAT]
//
// Each job launches 20 kernels and waits for them. WHAT happens in the middle of the third job:
//   waits      a kernel runs until one runs that is launched after the program asked about the first
//   fork       a child is started, which does nothing and ends; and one that runs another program
//   exit       the program ends with code 7, with work behind a shut gate
//   contexts   work in another context
//   streams    kernels in 700 streams
//   marks      a segment is marked
//   ahead      it launches on while a segment that it asked about waits for its turn
// "late" and "ahead" wait before that until the file that URGENT_UNTIL names is there, and make one of that name and ".here". At the end it writes "right" or "wrong", and how much work ran when the arbiter thought that its segment was over.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dlfcn.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tactus/client.h"
#include "tests/fake_driver/fake_gpu.hpp"

using Address = unsigned long long;
using Size = std::size_t;
using Handle = void*;

extern "C" {
int cuCtxCreate_v2(Handle* context, unsigned flags, int device);
int cuCtxSetCurrent(Handle context);
int cuCtxGetCurrent(Handle* context);
int cuMemAlloc_v2(Address* address, Size n);
int cuStreamCreate(Handle* stream, unsigned flags);
int cuStreamSynchronize(Handle stream);
int cuStreamQuery(Handle stream);
int cuCtxSynchronize();
int cuMemcpyDtoH_v2(void* to, Address from, Size n);
unsigned long fake_gpu_unowned();
int cuLaunchKernel(Handle code, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, Handle stream, void** values, void** extra);
}

namespace {

std::uint64_t* g_words = nullptr;
std::uint64_t g_expected = 0;

void launch(Handle code, Handle stream, std::uint64_t* word, std::uint64_t with) {
  void* values[] = {static_cast<void*>(&word), &with};
  cuLaunchKernel(code, 1, 1, 1, 1, 1, 1, 0, stream, values, nullptr);
}
void wait_for_file() {
  const char* const until = std::getenv("URGENT_UNTIL");
  if (until != nullptr) {
    const std::string here = std::string(until) + ".here";
    if (FILE* const file = std::fopen(here.c_str(), "w")) std::fclose(file);
  }
  while (until != nullptr && access(until, F_OK) != 0) usleep(1000);
}
void launch_some(Handle stream, int count) {
  for (int i = 0; i < count; ++i) {
    launch(fake_gpu::kernel(1), stream, g_words, 3);
    g_expected = fake_gpu::after_kernel(g_expected, 1, 3);
  }
}

/// Two kernels that must run at the same time, in two streams.
void let_one_wait_for_another(Handle first) {
  Handle second = nullptr;
  cuStreamCreate(&second, 1);
  launch(fake_gpu::kernel_that_waits(), first, &g_words[1], g_words[1]);  // the first is not cut
  cuStreamSynchronize(first);
  const std::uint64_t then = fake_gpu::after_kernel(g_words[1], 1, 5);
  launch(fake_gpu::kernel_that_waits(), first, &g_words[1], then);
  cuStreamQuery(first);
  launch(fake_gpu::kernel(1), second, &g_words[1], 5);
  cuStreamSynchronize(first);
}

void start_others() {
  if (const pid_t child = fork(); child == 0) {
    _exit(0);
  } else {
    waitpid(child, nullptr, 0);
  }
  pid_t other = 0;
  char name[] = "true";
  char* const arguments[] = {name, nullptr};
  if (posix_spawnp(&other, name, nullptr, nullptr, arguments, environ) == 0)
    waitpid(other, nullptr, 0);
}

void work_elsewhere() {
  Handle here = nullptr, there = nullptr;
  cuCtxGetCurrent(&here);
  cuCtxCreate_v2(&there, 1, 0);
  launch(fake_gpu::kernel(1), nullptr, &g_words[2], 1);
  cuCtxSynchronize();
  cuCtxSetCurrent(here);
}

void use_streams() {
  std::vector<Handle> streams(700);
  for (Handle& stream : streams) cuStreamCreate(&stream, 1);
  for (std::size_t i = 0; i < streams.size(); ++i)
    launch(fake_gpu::kernel(1), streams[i], &g_words[3 + i], 1);
  cuCtxSynchronize();
}

void mark_a_segment(Handle stream) {
  const auto begin = reinterpret_cast<int (*)(Handle, int, int)>(
      dlsym(RTLD_DEFAULT, "tactus_segment_begin_stream"));
  const auto end = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "tactus_segment_end"));
  if (begin == nullptr || end == nullptr) return;
  const int begun = begin(stream, 50, TACTUS_OWN_PRIORITY);
  launch_some(stream, 1);
  std::printf("begin %d end %d\n", begun, end());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string what = argc > 2 ? argv[2] : "";
  Address memory = 0;
  cuMemAlloc_v2(&memory, 8 * 1024);
  g_words = reinterpret_cast<std::uint64_t*>(memory);
  Handle stream = nullptr;
  cuStreamCreate(&stream, 1);
  for (int job = 0; job < std::atoi(argv[1]); ++job) {
    // The first jobs are not cut: so long the library finds out about the program.
    if ((job == 8 && what == "late") || (job == 10 && what == "ahead")) wait_for_file();
    launch_some(stream, 10);
    if (job == 10) {
      if (what == "waits") let_one_wait_for_another(stream);
      if (what == "fork") start_others();
      if (what == "exit") std::exit(7);
      if (what == "contexts") work_elsewhere();
      if (what == "streams") use_streams();
      if (what == "ahead") {
        cuStreamQuery(stream);
        launch_some(stream, 5);
        usleep(1'000'000);
      }
      if (what == "marks") mark_a_segment(stream);
    }
    launch_some(stream, 10);
    std::uint64_t got = 0;
    if (job % 2 == 0) {
      cuStreamSynchronize(stream);
      got = *g_words;
    } else {  // both wait, and the copy is work, too
      cuStreamSynchronize(stream);
      cuMemcpyDtoH_v2(&got, memory, sizeof got);
    }
    if (got != g_expected) {
      std::printf("wrong\n");
      return 1;
    }
    usleep(2000);
  }
  std::printf("right\n");
  if (what.empty() || what == "late") std::printf("%lu not owned\n", fake_gpu_unowned());
}
