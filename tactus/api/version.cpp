#include "tactus/tactus.h"

const char* tactus_version(void) { return TACTUS_VERSION; }
