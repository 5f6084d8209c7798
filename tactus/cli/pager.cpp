#include "tactus/cli/pager.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "tactus/base/printable.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/host/child.hpp"
#include "tactus/host/terminal.hpp"

namespace tactus::cli {
namespace {

/// Is it longer than the terminal is high?
bool is_long(std::string_view text) {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return false;
  return std::count(text.begin(), text.end(), '\n') >= size.ws_row;
}

/// The command of the reader's choice; empty: none.
std::string command() {
  if (host::is_dumb()) return {};
  const char* chosen = std::getenv("PAGER");
  const std::string pager = chosen == nullptr ? "less" : chosen;
  return pager == "cat" ? std::string() : pager;
}

/// While it lives, Ctrl-C and the end of a reader are for the pager. Handlers, not SIG_IGN: a new
/// program would inherit that.
class Signals {
 public:
  Signals() {
    struct sigaction nothing {};
    nothing.sa_handler = [](int) {};
    nothing.sa_flags = SA_RESTART;
    sigaction(SIGINT, &nothing, &interrupt_);
    sigaction(SIGPIPE, &nothing, &pipe_);
  }
  ~Signals() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGPIPE, &pipe_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  struct sigaction interrupt_ {};
  struct sigaction pipe_ {};
};

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the reader has seen enough
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// False where there is no such program; then nothing was shown.
bool show_in(const std::string& pager, std::string_view text) {
  constexpr int kNotFound = 127;  // of a shell
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const Signals signals;
  std::vector<std::string> environment;
  if (std::getenv("LESS") == nullptr) environment.emplace_back("LESS=FRX");
  if (std::getenv("LV") == nullptr) environment.emplace_back("LV=-c");
  Result<host::Child> child =
      host::Child::start({"/bin/sh", "-c", pager}, environment, {.in = ends[0]});
  close(ends[0]);
  if (child) write_all(ends[1], text);
  close(ends[1]);
  return child && child->wait() != kNotFound;
}

}  // namespace

void describe(Pager& pager, Fields& is) {
  is("pager", pager.on_, "Long output goes through a pager")
      .off("Do not show long output in a pager (PAGER)");
}

bool Pager::emit(std::string_view text) const {
  if (on_ && host::is_terminal(STDOUT_FILENO) && is_long(text)) {
    const std::string pager = command();
    if (!pager.empty() && show_in(pager, printable(text, host::terminal_sequences()))) return true;
  }
  return cli::emit(text);
}

}  // namespace tactus::cli
