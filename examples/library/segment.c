/* Marks a GPU segment. Where nobody arbitrates, it runs as if nothing were there. */
#include <stdio.h>
#include <tactus/client.h>
#include <tactus/version.h>

#if TACTUS_VERSION_MAJOR == 0 && TACTUS_VERSION_MINOR < 2
#error "segments are as they are here since 0.2"
#endif

int main(void) {
  puts(tactus_result_text(tactus_segment_begin(70)));
  return tactus_segment_end() == TACTUS_UNARBITRATED ? 0 : 1;
}
