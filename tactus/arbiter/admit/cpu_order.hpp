#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tactus::arbiter::admit {

/// Where reservations share a core: their processes have the fixed priorities of their places.
///
///     CpuOrder order(88);                        // the most urgent of a core has that
///     if (auto why = order.keep({{4, {120, 77}}})) ...   // on core 4 process 120 is above 77
class CpuOrder {
 public:
  /// Of each core its processes, the most urgent first.
  using ByCore = std::map<std::int64_t, std::vector<pid_t>>;

  /// @param highest priority of SCHED_FIFO; threads above it are left as they are: they obey the
  /// arbiter
  explicit CpuOrder(int highest) : highest_(highest) {}

  /// Of two processes none is ever above the other that was below it and stays there. Who is not among
  /// them any more has no real-time priority.
  /// @return why that cannot be, if it cannot
  std::optional<std::string> keep(const ByCore& processes);

 private:
  bool set(pid_t process, int priority) const;

  int highest_;
  std::map<pid_t, int> priorities_;
};

}  // namespace tactus::arbiter::admit
