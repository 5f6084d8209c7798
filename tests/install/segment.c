/* Nobody arbitrates here, so the segment runs as if nothing were there. */
#include <stdio.h>
#include <tactus/client.h>

int main(void) {
  puts(tactus_result_text(tactus_segment_begin(70)));
  return tactus_segment_end() == TACTUS_UNARBITRATED ? 0 : 1;
}
