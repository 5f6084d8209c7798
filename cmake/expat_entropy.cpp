// Debian's archive of expat takes its entropy from a function that only glibc 2.36 has. The program
// that carries the archive (see carried.cmake) runs on older ones, too, so it brings its own.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

extern "C" void arc4random_buf(void* buffer, size_t size) noexcept {
  auto* at = static_cast<unsigned char*>(buffer);
  while (size > 0) {
    const ssize_t got = getrandom(at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) abort();  // no kernel of this century
    at += got;
    size -= static_cast<size_t>(got);
  }
}
