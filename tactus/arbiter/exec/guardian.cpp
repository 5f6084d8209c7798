#include "tactus/arbiter/exec/guardian.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tactus/arbiter/exec/freezer.hpp"
#include "tactus/host/child.hpp"

namespace tactus::arbiter::exec {
namespace {

using client::StoppedProcesses;

void guard(int watched, const StoppedProcesses& stopped) {
  setsid();  // what the terminal sends is not for it
  prctl(PR_SET_NAME, "tactus-guardian");
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_IGN);
  // No process must wait for the end of a pipe because of it.
  if (watched > 0) close_range(0, static_cast<unsigned>(watched) - 1, 0);
  close_range(static_cast<unsigned>(watched) + 1, ~0U, 0);
  pollfd end{watched, POLLIN, 0};
  while (poll(&end, 1, -1) < 1) {
  }
  for (std::uint32_t i = stopped.count.load(); i > 0; --i) kill(stopped.processes[i - 1], SIGCONT);
  if (stopped.control_group[0] != 0) abandon_control_group(stopped.control_group);
}

}  // namespace

Result<Guardian> Guardian::start() {
  Guardian guardian(host::SharedMemory("tactus-guardian", sizeof(StoppedProcesses),
                                       host::SharedMemory::For::kForked));
  const int self = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  if (!guardian.memory_ || self < 0)
    return Error{fmt::format("cannot start the guardian: {}", std::strerror(errno))};
  const auto problem = host::fork_apart([&] { guard(self, guardian.stopped()); });
  close(self);
  if (problem) return Error{fmt::format("cannot start the guardian: {}", problem->message)};
  return guardian;
}

}  // namespace tactus::arbiter::exec
