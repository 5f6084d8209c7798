#include "tactus/arbiter/client/process_tier.hpp"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tactus/arbiter/client/quiet.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/nap.hpp"

namespace tactus::arbiter::client {
namespace {

/// Reads a small file of /proc. @return bytes read, 0 when it is not there
std::size_t read_small(const char* path, char* text, std::size_t size) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::size_t length = 0;
  while (length < size - 1) {
    const ssize_t got = read(file, text + length, size - 1 - length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  close(file);
  text[length] = 0;
  return length;
}

/// Calls `visit(thread)` for every thread of a process.
template <typename Visit>
void for_each_thread(pid_t process, const Visit& visit) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR* folder = opendir(path);
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') visit(atoi(entry->d_name));
  }
  closedir(folder);
}

/// Calls `visit(number)` for every number of a file that has a space behind it: a number that was
/// cut off would name another process.
template <typename Visit>
void for_each_number(const char* path, const Visit& visit) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char text[1024];
  pid_t number = 0;
  for (ssize_t got = 0; (got = read(file, text, sizeof text)) > 0 || (got < 0 && errno == EINTR);) {
    for (ssize_t i = 0; i < got; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        number = number * 10 + (text[i] - '0');
      } else if (number != 0) {
        visit(number);
        number = 0;
      }
    }
  }
  close(file);
}

/// Calls `visit(child)` for every child of every thread of a process.
template <typename Visit>
void for_each_child(pid_t process, const Visit& visit) {
  for_each_thread(process, [&](pid_t thread) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, thread);
    for_each_number(path, visit);
  });
}

/// The state letter of a thread: R, S, T, Z, ...; X when it is gone.
char state_of(pid_t process, pid_t thread) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", process, thread);
  if (read_small(path, text, sizeof text) == 0) return 'X';
  const char* name_end = strrchr(text, ')');  // the name may contain anything
  return name_end != nullptr && name_end[1] == ' ' ? name_end[2] : 'X';
}

enum class Found { kRunning, kStopped, kDead };

/// A process is stopped if none of its threads runs.
Found look_at(pid_t process) {
  bool alive = false, runs = false;
  for_each_thread(process, [&](pid_t thread) {
    const char state = state_of(process, thread);
    const bool dead = state == 'Z' || state == 'X';
    alive = alive || !dead;
    runs = runs || (!dead && state != 'T' && state != 't');
  });
  return !alive ? Found::kDead : runs ? Found::kRunning : Found::kStopped;
}

/// False if there is no room: then it must not be stopped, because it would never be continued.
bool note(StoppedProcesses* record, pid_t process) {
  if (record == nullptr) return true;
  const std::uint32_t at = record->count.load();
  for (std::uint32_t i = 0; i < at; ++i) {
    if (record->processes[i].load() == process) return true;
  }
  if (at >= StoppedProcesses::kMost) return false;
  record->processes[at].store(process);
  record->count.store(at + 1);
  return true;
}

/// One pass over processes, to stop every one that runs.
struct Walk {
  Seen seen;
  std::int64_t deadline_ns = 0;
  StoppedProcesses* record = nullptr;
  bool note_stopped = false;  ///< also those that others have stopped
};

/// Stops one process, and sees that it has stopped.
void stop_one(pid_t process, Walk& walk) {
  const Found found = look_at(process);
  if (found == Found::kDead) ++walk.seen.dead;
  if (found == Found::kStopped && walk.note_stopped && !note(walk.record, process))
    walk.seen.late = true;
  if (found != Found::kRunning) return;
  ++walk.seen.running;
  if (!note(walk.record, process)) {
    walk.seen.late = true;
    return;
  }
  if (kill(process, SIGSTOP) != 0) {
    if (errno != ESRCH) walk.seen.late = true;
    return;
  }
  while (look_at(process) == Found::kRunning) {
    if (host::now_ns() >= walk.deadline_ns) {
      walk.seen.late = true;
      return;
    }
    host::nap_ns(20'000);
  }
}

/// Processes still to be visited; a chain of forks may be longer than a stack is deep.
class ToVisit {
 public:
  ~ToVisit() { free(processes_); }
  void push(pid_t process) {
    if (count_ == room_) {
      const std::size_t more = room_ == 0 ? 256 : 2 * room_;
      void* const grown = realloc(processes_, more * sizeof(pid_t));
      if (grown == nullptr) return;
      processes_ = static_cast<pid_t*>(grown);
      room_ = more;
    }
    processes_[count_++] = process;
  }
  pid_t pop() { return count_ == 0 ? 0 : processes_[--count_]; }

 private:
  pid_t* processes_ = nullptr;
  std::size_t count_ = 0, room_ = 0;
};

void stop_tree(pid_t root, bool spare_root, Walk& walk) {
  ToVisit waiting;
  waiting.push(root);
  for (pid_t process = waiting.pop(); process != 0 && !walk.seen.late; process = waiting.pop()) {
    if (process != root || !spare_root) stop_one(process, walk);
    for_each_child(process, [&](pid_t child) {
      if (child != getpid()) waiting.push(child);
    });
    // A process that forks as fast as we follow it is followed no longer than this.
    if (host::now_ns() >= walk.deadline_ns) walk.seen.late = true;
  }
}

/// The parent of a process (of the first one: 0), -1 when it is gone.
pid_t parent_of(pid_t process) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  if (read_small(path, text, sizeof text) == 0) return -1;
  const char* const name_end = strrchr(text, ')');
  return name_end != nullptr && strlen(name_end) > 4 ? atoi(name_end + 4) : -1;
}

bool descends_from(pid_t process, pid_t root) {
  for (int depth = 0; process > 1 && depth < 100'000; ++depth) {
    process = parent_of(process);
    if (process == root) return true;
  }
  return false;
}

/// Calls `visit(process)` for every process there is, in the order of their numbers: a process that
/// is forked in the meantime has a higher one, and is met later. Each is visited as soon as it is
/// listed (readdir would list a thousand first), so that few are gone by then.
template <typename Visit>
bool for_each_process(const Visit& visit) {
  const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  alignas(long) char some[64];  // one or two entries
  for (long got = 0; (got = syscall(SYS_getdents64, folder, some, sizeof some)) > 0;) {
    for (long at = 0; at < got;) {
      unsigned short length = 0;
      constexpr long kLength = 16, kName = 19;  // in struct linux_dirent64
      memcpy(&length, some + at + kLength, sizeof length);
      if (const pid_t process = atoi(some + at + kName); process > 0) visit(process);
      at += length;
    }
  }
  close(folder);
  return true;
}

void stop_descendants(pid_t root, bool spare_root, Walk& walk) {
  const bool listed = for_each_process([&](pid_t process) {
    if (process == getpid() || walk.seen.late) return;
    if (process == root) {
      if (!spare_root) stop_one(process, walk);
      return;
    }
    const pid_t parent = parent_of(process);
    if (parent < 0) ++walk.seen.vanished;  // what it has forked may be anywhere
    // With its children: a process that forks all the time is caught by following it at once.
    if (parent == root || (parent > 2 && descends_from(parent, root)))
      stop_tree(process, false, walk);
    if (host::now_ns() >= walk.deadline_ns) walk.seen.late = true;
  });
  walk.seen.late = walk.seen.late || !listed;
}

/// @return how many were found stopped
std::uint32_t continue_tree(pid_t root, bool spare_root) {
  std::uint32_t stopped = 0;
  // Children first: a parent that runs could fork unseen, or reap what is to be continued.
  for_each_child(root, [&](pid_t child) {
    if (child != getpid()) stopped += continue_tree(child, false);
  });
  if (spare_root) return stopped;
  stopped += look_at(root) == Found::kStopped ? 1 : 0;
  kill(root, SIGCONT);
  return stopped;
}

/// The same for all processes there are. @return how many were found stopped
std::uint32_t continue_descendants(pid_t root) {
  std::uint32_t stopped = 0;
  for_each_process([&](pid_t process) {
    if (process == getpid() || !descends_from(process, root)) return;
    if (look_at(process) != Found::kStopped) return;
    ++stopped;
    kill(process, SIGCONT);
  });
  return stopped;
}

}  // namespace

TierResult ProcessTier::stop_all(std::int64_t deadline_ns, bool note_stopped) {
  const auto pass = [&](const auto& over) {
    Walk walk;
    walk.deadline_ns = deadline_ns;
    walk.record = record_;
    walk.note_stopped = note_stopped;
    over(root_, below_only_, walk);
    return walk.seen;
  };
  const bool quiet = stop_until_quiet([&] { return pass(stop_tree); },
                                      [&] { return pass(stop_descendants); }, restless_);
  return quiet ? TierResult::kDone : TierResult::kLate;
}

TierResult ProcessTier::take_off(std::int64_t deadline_ns) { return stop_all(deadline_ns, false); }

TierResult ProcessTier::put_back() {
  // Here, too, the lists may have had gaps. A process that others stop repeatedly is left to them.
  constexpr int kMostWalks = 20;
  for (int i = 0; i < kMostWalks && continue_tree(root_, below_only_) > 0; ++i) {
  }
  for (int i = 0; i < kMostWalks && restless_ && continue_descendants(root_) > 0; ++i) {
  }
  if (record_ != nullptr) record_->count.store(0);
  return TierResult::kDone;
}

bool ProcessTier::kill_all(std::int64_t deadline_ns) {
  const bool all = stop_all(deadline_ns, true) == TierResult::kDone;
  const std::uint32_t found = record_->count.exchange(0);
  for (std::uint32_t i = found; i > 0; --i) kill(record_->processes[i - 1].load(), SIGKILL);
  return all && found == 0;
}

bool ProcessTier::self_test(char* why, std::size_t why_size) {
  const auto fail = [&](const char* reason) {
    put_back();
    snprintf(why, why_size, "%s", reason);
    return false;
  };
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  if (access(path, R_OK) != 0) return fail("this kernel does not list the children of a process");
  if (take_off(host::now_ns() + 1'000'000'000) != TierResult::kDone)
    return fail("it does not stop");
  clockid_t clock{};
  if (!below_only_ && clock_getcpuclockid(root_, &clock) == 0) {
    const std::int64_t before = host::clock_ns(clock);
    host::nap_ns(2'000'000);
    if (host::clock_ns(clock) != before) return fail("it uses CPU time while it is stopped");
  }
  put_back();
  if (!below_only_ && kill(root_, 0) == 0 && state_of(root_, root_) == 'T')
    return fail("it does not continue");
  return true;
}

Tier ProcessTier::tier() {
  Tier tier;
  tier.name = "process";
  tier.self = this;
  tier.take_off = [](void* self, std::int64_t deadline_ns) {
    return static_cast<ProcessTier*>(self)->take_off(deadline_ns);
  };
  tier.put_back = [](void* self) { return static_cast<ProcessTier*>(self)->put_back(); };
  tier.self_test = [](void* self, char* why, std::size_t why_size) {
    return static_cast<ProcessTier*>(self)->self_test(why, why_size);
  };
  return tier;
}

}  // namespace tactus::arbiter::client
