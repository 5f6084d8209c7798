#include "tactus/cli/start.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace tactus::cli {
namespace {

bool g_children_were_ignored = false;

/// Nothing can be allocated any more, perhaps before there is a verb whose budget says more.
[[noreturn]] void end_without_memory() {
  const auto say = [](const char* part) {
    [[maybe_unused]] const auto told = write(STDERR_FILENO, part, std::strlen(part));
  };
  say(program_invocation_short_name);
  say(": out of memory\n");
  constexpr int kUnavailable = 3;
  _exit(kUnavailable);
}

}  // namespace

void start_well() {
  std::set_new_handler(end_without_memory);
  // The lowest number that is free is the one that is closed.
  for (int opened = 0; opened >= 0 && opened <= STDERR_FILENO;) {
    opened = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (opened > STDERR_FILENO) close(opened);
  }
  g_children_were_ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
}

bool children_were_ignored() { return g_children_were_ignored; }

}  // namespace tactus::cli
