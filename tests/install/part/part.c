/* As a part of another project: the header, and the library behind it. */
#include <tactus/client.h>

int main(void) { return tactus_segment_end() == TACTUS_NOT_BEGUN ? 0 : 1; }
