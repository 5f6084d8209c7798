#include "tactus/arbiter/exec/guardian.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tactus/arbiter/exec/freezer.hpp"

namespace tactus::arbiter::exec {
namespace {

using client::StoppedProcesses;

[[noreturn]] void guard(int watched, const StoppedProcesses& stopped) {
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
  _exit(0);
}

}  // namespace

Result<Guardian> Guardian::start() {
  Guardian guardian;
  void* shared = mmap(nullptr, sizeof(StoppedProcesses), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const int self = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  if (shared == MAP_FAILED || self < 0)
    return Error{fmt::format("cannot start the guardian: {}", std::strerror(errno))};
  guardian.stopped_ = static_cast<StoppedProcesses*>(shared);
  const pid_t first = fork();
  if (first == 0) {  // twice, so that it is no child of this process
    const pid_t second = fork();
    if (second == 0) guard(self, *guardian.stopped_);
    _exit(second > 0 ? 0 : 1);
  }
  close(self);
  int status = 0;
  if (first < 0 || waitpid(first, &status, 0) != first || status != 0)
    return Error{"cannot start the guardian: no process can be made"};
  return guardian;
}

Guardian::Guardian(Guardian&& other) noexcept : stopped_(std::exchange(other.stopped_, nullptr)) {}

Guardian::~Guardian() {
  if (stopped_ != nullptr) munmap(stopped_, sizeof *stopped_);
}

}  // namespace tactus::arbiter::exec
