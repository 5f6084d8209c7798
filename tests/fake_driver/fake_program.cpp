// A "CUDA program" for tests: opens a context through ioctls like libcuda's, then writes to
// standard output, as bytes, whether its channels run ('+') or not ('-'; 'c': only those for copies do),
// whenever that changes.
// Ends with its standard input. With the argument "fork" a child does that, and the parent, which
// has no context, waits for it. With "close" it then closes every descriptor it did not open, as a
// program does that becomes a daemon, and moves data of its own through what it opens next; it ends
// with code 5 when any of that is lost. (With code 4 when another preloaded library finds itself in
// place of the next one.)

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/arbiter/preload/fake_program.hpp"

namespace {

/// Do bytes of ours arrive? Through descriptors with all the numbers that were closed.
class OwnData {
 public:
  void open() {
    int ends[2];
    while (count_ < kPairs && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) {
      for (const int end : ends) write_to(end);
      for (int i = 0; i < 2; ++i) pairs_[count_][i] = ends[i];
      ++count_;
    }
  }
  bool whole() {
    for (int i = 0; i < count_; ++i) {
      for (const int end : pairs_[i]) {
        char got[1000];
        if (recv(end, got, sizeof got, MSG_DONTWAIT) != kBytes) return false;
        write_to(end == pairs_[i][0] ? pairs_[i][1] : pairs_[i][0]);
      }
    }
    return true;
  }

 private:
  static constexpr int kPairs = 600, kBytes = 160;
  static void write_to(int end) {
    const char data[kBytes] = {};
    if (send(end, data, kBytes, MSG_NOSIGNAL) != kBytes) std::_Exit(6);
  }
  int count_ = 0;
  int pairs_[kPairs][2];
};

}  // namespace

int main(int argc, char** argv) {
  close(open("/dev/null", O_RDONLY));
  const bool closes = argc > 1 && std::strcmp(argv[1], "close") == 0;
  if (argc > 1 && !closes) {
    if (const pid_t child = fork(); child != 0) return waitpid(child, nullptr, 0) != child;
  }
  const auto channels_off =
      reinterpret_cast<unsigned long (*)()>(dlsym(RTLD_DEFAULT, "fake_driver_channels_off"));
  if (channels_off == nullptr) return 3;
  tactus::arbiter::preload::FakeProgram program(
      [](int file, unsigned long request, void* block) { return ioctl(file, request, block); });
  constexpr std::size_t kCompute = 8;  // channels
  program.context(0xc1d00001, 100, kCompute);
  static OwnData data;
  if (closes) {
    const rlimit few{1024, 1024};
    setrlimit(RLIMIT_NOFILE, &few);
    for (int number = 3; number < 100; ++number) close(number);
    close_range(3, ~0U, 0);
    closefrom(3);
    data.open();
  }
  for (char told = 0;;) {
    if (closes && !data.whole()) return 5;
    const unsigned long off = channels_off();
    const char now = off == 0 ? '+' : off == kCompute ? 'c' : '-';
    if (now != told && write(STDOUT_FILENO, &now, 1) != 1) return 1;
    told = now;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 1) > 0) return 0;
  }
}
