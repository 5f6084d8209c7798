#include "tactus/arbiter/admit/cpu_order.hpp"

#include <dirent.h>
#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tactus::arbiter::admit {

/// All its threads. False, with `errno`: one of them cannot have it. 0: none of real time.
bool CpuOrder::set(pid_t process, int priority) const {
  // A thread that appears meanwhile was started by one that has it, or by one that is still to get it.
  for (int more = 2; more > 0; --more) {
    DIR* const threads = opendir(fmt::format("/proc/{}/task", process).c_str());
    if (threads == nullptr) return true;  // it has ended
    int problem = 0;
    while (const dirent* const entry = readdir(threads)) {
      const auto thread = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
      sched_param now{}, wanted{};
      if (thread <= 0 || sched_getparam(thread, &now) != 0) continue;
      if (now.sched_priority > highest_) continue;
      wanted.sched_priority = priority;
      if (sched_setscheduler(thread, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &wanted) != 0 &&
          errno != ESRCH)
        problem = errno;
    }
    closedir(threads);
    errno = problem;
    if (problem != 0) return false;
  }
  return true;
}

std::optional<std::string> CpuOrder::keep(const ByCore& processes) {
  std::map<pid_t, int> wanted;
  for (const auto& [core, all] : processes) {
    if (static_cast<int>(all.size()) > highest_)
      return fmt::format("core {} has more programs than there are priorities", core);
    for (std::size_t k = 0; k < all.size(); ++k) wanted[all[k]] = highest_ - static_cast<int>(k);
  }
  std::vector<std::pair<pid_t, int>> steps;
  const auto before = [&](pid_t process) {
    const auto at = priorities_.find(process);
    return at == priorities_.end() ? 0 : at->second;
  };
  for (const auto& [process, priority] : priorities_) {
    if (!wanted.contains(process)) steps.emplace_back(process, 0);
  }
  // Who goes up does so from the highest on, then who goes down from the lowest on.
  std::vector<std::pair<pid_t, int>> up, down;
  for (const auto& [process, priority] : wanted)
    (priority >= before(process) ? up : down).emplace_back(process, priority);
  const auto by_priority = [](const auto& a, const auto& b) { return a.second > b.second; };
  std::stable_sort(up.begin(), up.end(), by_priority);
  std::stable_sort(down.begin(), down.end(), by_priority);
  steps.insert(steps.end(), up.begin(), up.end());
  steps.insert(steps.end(), down.rbegin(), down.rend());
  std::optional<std::string> problem;
  for (const auto& [process, priority] : steps) {
    if (!set(process, priority) && !problem)
      problem = fmt::format("process {} cannot have real-time priority {}: {}", process, priority,
                            std::strerror(errno));
  }
  priorities_ = std::move(wanted);
  return problem;
}

}  // namespace tactus::arbiter::admit
