// A program that marks its GPU segments as its deployment asks for it, and stays in one until it is
// ended. Usage: stand_in FILE; the file has the threshold of its segments, if it has one.
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "tactus/client.h"

int main(int argc, char** argv) {
  int threshold = TACTUS_OWN_PRIORITY;
  if (argc > 1) std::ifstream(argv[1]) >> threshold;
  if (std::strcmp(tactus_protocol(), "boost") == 0) {
    if (tactus_segment_begin_host(TACTUS_DEPLOYED_PRIORITY, threshold) < 0) return 1;
    tactus_segment_submit();  // waits for its turn, which may never come
  } else if (tactus_segment_begin(TACTUS_DEPLOYED_PRIORITY) < 0) {
    return 1;
  }
  for (;;) pause();
}
