#include "tactus/observe/watch.hpp"

#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "tactus/host/child.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/shared_memory.hpp"

namespace tactus::observe {
namespace {

constexpr std::int64_t kLookEvery = 20;     // ms
constexpr std::int64_t kTimeToEnd = 5'000;  // ms, after it was asked to

}  // namespace

Result<Watched> watch(const std::vector<std::string>& command, const std::string& preload,
                      std::optional<Time> longest, std::stop_token stop) {
  if (preload.find_first_of(" :") != std::string::npos) {
    return Error{
        fmt::format("LD_PRELOAD takes no path with a space or a colon in it: {}", preload)};
  }
  const host::SharedMemory memory("tactus-observe", sizeof(CallLog),
                                  host::SharedMemory::For::kStarted);
  struct stat status {};
  if (!memory || fstat(memory.file(), &status) != 0) return Error{"there is no shared memory"};
  std::string libraries = preload;
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && others[0] != '\0') {
    libraries += fmt::format(":{}", others);
  }
  const std::int64_t began = host::now_ns();
  // Signals that a thread of ours waits for are blocked here; the program must hear them.
  sigset_t none, ours;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, &ours);
  auto child = host::Child::start(
      command, {fmt::format("LD_PRELOAD={}", libraries),
                fmt::format("{}={}:{}", kVariable, memory.file(), status.st_ino)});
  pthread_sigmask(SIG_SETMASK, &ours, nullptr);
  if (!child) return child.error();
  Watched seen;
  std::optional<int> code;
  while (!(code = child->wait(kLookEvery))) {
    const bool enough = longest && host::now_ns() - began >= longest->ns();
    if (!enough && !stop.stop_requested()) continue;
    seen.ended_by_us = true;
    child->terminate();
    code = child->wait(kTimeToEnd);
    break;
  }
  seen.exit_code = code.value_or(0);
  const auto& log = memory.as<CallLog>();
  const std::uint64_t count = log.count.load();
  const std::uint64_t kept = std::min<std::uint64_t>(count, CallLog::kCapacity);
  const std::int64_t ended = host::now_ns();
  for (std::uint64_t i = 0; i < kept; ++i) {
    const Call call = log.calls[i];  // a child of the program may still write here
    if (call.written != 0 && believable(call, began, ended)) seen.calls.push_back(call);
  }
  seen.lost = count - seen.calls.size();
  return seen;
}

}  // namespace tactus::observe
