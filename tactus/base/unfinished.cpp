#include "tactus/base/unfinished.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace tactus::unfinished {
namespace {

struct Slot {
  std::atomic<const char*> name = nullptr;
  std::atomic<int> folder = -1;
  std::atomic<pid_t> process = 0;
  std::atomic<bool> taken = false;
};
constinit std::array<Slot, 16> g_slots;
constexpr int kMostDepth = 4;  ///< of folders that we write

/// In a signal handler nothing may be allocated: so not by readdir.
template <typename Visit>
void for_each_entry(int folder, const Visit& visit) noexcept {
  struct Entry {  // linux_dirent64
    std::uint64_t inode;
    std::int64_t next;
    unsigned short size;
    unsigned char type;
    char name[];
  };
  alignas(Entry) char room[4096];
  for (;;) {
    const long got = syscall(SYS_getdents64, folder, room, sizeof room);
    if (got <= 0) return;
    for (long at = 0; at < got;) {
      const auto* const entry = reinterpret_cast<const Entry*>(room + at);
      const std::string_view is(entry->name);
      if (is != "." && is != "..") visit(entry->name);
      at += entry->size;
    }
  }
}

void remove_one(int folder, const char* name, int depth) noexcept {
  if (unlinkat(folder, name, 0) == 0 || depth == 0) return;
  const int inside = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inside < 0) return;
  for_each_entry(inside, [&](const char* entry) { remove_one(inside, entry, depth - 1); });
  close(inside);
  unlinkat(folder, name, AT_REMOVEDIR);
}

/// Removes what is unfinished, and then ends as without us.
void end_by(int signal) {
  remove_all();
  ::signal(signal, SIG_DFL);
  raise(signal);  // taken when the handler returns
}

}  // namespace

void note(int folder, const char* name) noexcept {
  for (Slot& slot : g_slots) {
    if (slot.taken.exchange(true)) continue;
    slot.folder = folder;
    slot.process = getpid();
    slot.name = name;  // last: from here on it counts
    return;
  }
}

void forget(const char* name) noexcept {
  for (Slot& slot : g_slots) {
    const char* noted = name;
    if (!slot.name.compare_exchange_strong(noted, nullptr)) continue;
    slot.taken = false;
    return;
  }
}

void remove_all() noexcept {
  for (Slot& slot : g_slots) {
    if (slot.process != getpid()) continue;  // a forked process does not end its parent's work
    if (const char* const name = slot.name.exchange(nullptr))
      remove_one(slot.folder, name, kMostDepth);
  }
}

void remove_all_at_signals() noexcept {
  struct sigaction action {
  }, before{};
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ}) {
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    // A file that may not grow is told by the write as well, which can be undone. Not ignored:
    // programs that we start would inherit that.
    action.sa_handler = signal == SIGXFSZ ? [](int) {} : end_by;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace tactus::unfinished
