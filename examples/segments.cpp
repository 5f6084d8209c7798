// A program that says where its GPU work begins and ends.
//
//   g++ examples/segments.cpp -I. -Lbuild -ltactus_client -o segments && tactusd & ./segments 70
//
// Without a number it takes the priority that `tactus deploy` gives it, or is best effort.
#define TACTUS_GCAPS_MACROS
#include "tactus/client.h"

#include <cstdio>
#include <cstdlib>

namespace {

void gpu_work() {}  // launch kernels and wait for them

}  // namespace

int main(int argc, char** argv) {
  const int priority = argc > 1 ? std::atoi(argv[1]) : TACTUS_DEPLOYED_PRIORITY;

  const int result = tactus_segment_begin(priority);
  gpu_work();
  tactus_checkpoint();  // where others may go first; for the tiers gate and yield
  gpu_work();
  tactus_segment_end();
  std::printf("C: %s, tier %s\n", tactus_result_text(result), tactus_tier());

  {
    const tactus::GpuSegment segment(priority);
    gpu_work();
    std::printf("C++: %s\n", tactus_result_text(segment.result()));
  }

  // As in the paper; the descriptor and the process id are not needed.
  std::printf("macros: %s\n", tactus_result_text(gcapsGpuSegBegin(0, 0, priority)));
  gpu_work();
  std::printf("end: %s\n", tactus_result_text(gcapsGpuSegEnd(0, 0, priority)));
  std::printf("end again: %s\n", tactus_result_text(tactus_segment_end()));
}
