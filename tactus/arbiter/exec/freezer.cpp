#include "tactus/arbiter/exec/freezer.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "tactus/base/file.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::exec {
namespace {

constexpr std::int64_t kThawNs = 1'000'000'000;
constexpr char kPrefix[] = "tactus-exec-";

bool write_word(int file, std::string_view word) {
  for (;;) {
    const ssize_t written = pwrite(file, word.data(), word.size(), 0);
    if (written < 0 && errno == EINTR) continue;
    return written == static_cast<ssize_t>(word.size());
  }
}

bool write_word(const std::string& path, std::string_view word) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write_word(file, word);
  close(file);
  return written;
}

/// The rest of the first line that begins with `start`.
std::string line_after(const std::string& text, std::string_view start) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    if (text.compare(at, start.size(), start) == 0)
      return text.substr(at + start.size(), end - at - start.size());
    at = end + 1;
  }
  return {};
}

/// Where cgroup v2 is mounted; empty: nowhere.
std::string mounted_at() {
  const auto mounts = read_text_file("/proc/self/mounts");
  if (!mounts) return {};
  // "cgroup2 /sys/fs/cgroup cgroup2 rw,..."
  for (std::size_t at = 0; at < mounts->size();) {
    std::size_t end = mounts->find('\n', at);
    if (end == std::string::npos) end = mounts->size();
    const std::string line = mounts->substr(at, end - at);
    const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
    if (second != std::string::npos && line.compare(second, 9, " cgroup2 ") == 0)
      return line.substr(first + 1, second - first - 1);
    at = end + 1;
  }
  return {};
}

/// What cgroup.events says about `key` ("frozen", "populated"); -1: nothing.
int event_of(int events, std::string_view key) {
  std::array<char, 256> text{};
  std::size_t length = 0;
  while (length < text.size() - 1) {
    const ssize_t got =
        pread(events, text.data() + length, text.size() - 1 - length, static_cast<off_t>(length));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  if (length == 0) return -1;
  const std::string value = line_after(text.data(), std::string(key) + " ");
  return value == "1" ? 1 : value == "0" ? 0 : -1;
}

/// Waits until it says so; false when it does not before the deadline (0: for ever).
bool wait_for(const std::string& folder, std::string_view key, int value,
              std::int64_t deadline_ns) {
  const int events = open((folder + "/cgroup.events").c_str(), O_RDONLY | O_CLOEXEC);
  if (events < 0) return false;
  bool seen = false;
  for (;;) {
    const int now = event_of(events, key);
    seen = now == value;
    const std::int64_t left = deadline_ns == 0 ? 1'000'000'000 : deadline_ns - host::now_ns();
    if (seen || now < 0 || left <= 0) break;
    pollfd change{events, POLLPRI, 0};
    poll(&change, 1, static_cast<int>(left / 1'000'000 + 1));
  }
  close(events);
  return seen;
}

/// The folder of this process's own control group, with a slash at its end; empty: there is none.
std::string own_group() {
  const std::string root = mounted_at();
  const auto own = read_text_file("/proc/self/cgroup");
  const std::string place = own ? line_after(*own, "0::") : "";
  if (root.empty() || place.empty() || place.find("..") != std::string::npos) return {};
  return root + place + (place.back() == '/' ? "" : "/");
}

/// Whoever works with a control group holds its folder locked; a command must be forked before, or
/// it would hold the lock too, and longer. @return a descriptor that does, or
/// -1 when another one has it, or when there is no such folder
int lock_group(const std::string& folder) {
  const int lock = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  close(lock);
  return -1;
}

/// Whoever froze a group, and its guardian, may have been killed. What they have left frozen goes
/// on; what they have left empty is removed.
void clear_away(const std::string& place) {
  DIR* const groups = opendir(place.c_str());
  if (groups == nullptr) return;
  while (const dirent* entry = readdir(groups)) {
    if (std::strncmp(entry->d_name, kPrefix, sizeof kPrefix - 1) != 0) continue;
    const std::string folder = place + entry->d_name;
    const int lock = lock_group(folder);
    if (lock < 0) continue;  // somebody works with it
    write_word(folder + "/cgroup.freeze", "0");
    rmdir(folder.c_str());  // only where nobody is in it
    close(lock);
  }
  closedir(groups);
}

}  // namespace

std::optional<Freezer> Freezer::make(client::StoppedProcesses& record) {
  const std::string place = own_group();
  if (place.empty()) return std::nullopt;
  clear_away(place);
  // Another process may have had this number, and its work may still be there; or another one that
  // clears away may have taken the folder for a left one, before it was locked.
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string folder = fmt::format("{}{}{}-{}", place, kPrefix, getpid(), attempt);
    if (folder.size() >= sizeof record.control_group) return std::nullopt;
    if (mkdir(folder.c_str(), 0755) != 0) {
      if (errno == EEXIST) continue;
      return std::nullopt;
    }
    Freezer made;
    made.folder_ = folder;
    made.lock_ = lock_group(folder);
    if (made.lock_ < 0 || access(folder.c_str(), F_OK) != 0) continue;
    made.switch_ = open((folder + "/cgroup.freeze").c_str(), O_WRONLY | O_CLOEXEC);
    if (made.switch_ < 0) return std::nullopt;
    std::memcpy(record.control_group, folder.c_str(), folder.size() + 1);
    return made;
  }
  return std::nullopt;
}

Freezer::Freezer(Freezer&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      lock_(std::exchange(other.lock_, -1)),
      switch_(std::exchange(other.switch_, -1)) {}

Freezer::~Freezer() {
  if (folder_.empty()) return;
  put_back();
  rmdir(folder_.c_str());  // the guardian does it later, if a process is still in it
  if (lock_ >= 0) close(lock_);
  if (switch_ >= 0) close(switch_);
}

bool Freezer::kill_all() { return write_word(folder_ + "/cgroup.kill", "1"); }

bool Freezer::take_in(pid_t process) const {
  return write_word(folder_ + "/cgroup.procs", std::to_string(process));
}

TierResult Freezer::freeze(bool on, std::int64_t deadline_ns) {
  bool written = write_word(switch_, on ? "1" : "0");
  while (!written && !on &&
         host::now_ns() < deadline_ns) {  // nobody stays frozen for a moment's fault
    poll(nullptr, 0, 1);
    written = write_word(switch_, "0");
  }
  if (!written) return TierResult::kFailed;
  return wait_for(folder_, "frozen", on ? 1 : 0, deadline_ns) ? TierResult::kDone
                                                              : TierResult::kLate;
}

TierResult Freezer::take_off(std::int64_t deadline_ns) { return freeze(true, deadline_ns); }
TierResult Freezer::put_back() { return freeze(false, host::now_ns() + kThawNs); }

Tier Freezer::tier() {
  Tier tier;
  tier.name = "process";
  tier.self = this;
  tier.take_off = [](void* self, std::int64_t deadline_ns) {
    return static_cast<Freezer*>(self)->take_off(deadline_ns);
  };
  tier.put_back = [](void* self) { return static_cast<Freezer*>(self)->put_back(); };
  tier.self_test = [](void* self, char* why, std::size_t why_size) {
    auto& freezer = *static_cast<Freezer*>(self);
    const bool stopped = freezer.take_off(host::now_ns() + kThawNs) == TierResult::kDone;
    const bool continued = freezer.put_back() == TierResult::kDone;
    std::snprintf(why, why_size, "%s", stopped ? "it does not continue" : "it does not stop");
    return stopped && continued;
  };
  return tier;
}

void abandon_control_group(const char* folder) {
  const std::string name = folder;
  if (access(folder, F_OK) != 0) return;  // its maker has removed it
  write_word(name + "/cgroup.freeze", "0");
  wait_for(name, "populated", 0, 0);
  rmdir(folder);
}

}  // namespace tactus::arbiter::exec
