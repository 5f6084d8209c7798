#include "tactus/cli/start.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace tactus::cli {
namespace {

bool g_children_were_ignored = false;

}  // namespace

void start_well() {
  // The lowest number that is free is the one that is closed.
  for (int opened = 0; opened >= 0 && opened <= STDERR_FILENO;) {
    opened = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (opened > STDERR_FILENO) close(opened);
  }
  g_children_were_ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
}

bool children_were_ignored() { return g_children_were_ignored; }

}  // namespace tactus::cli
