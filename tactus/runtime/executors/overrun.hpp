#pragma once

#include <functional>
#include <optional>

#include "tactus/model/system.hpp"

namespace tactus::runtime {

/// A job that took longer than the bound of one of its nodes, or than its deadline.
struct Overrun {
  TaskIndex task = 0;
  std::uint32_t job = 0;
  std::optional<NodeIndex> node;  ///< nothing: the deadline of the job
  Time at;                        ///< when it was noticed
  Time limit, took;
};

/// What to do about it. It is counted and reported in any case.
enum class OnOverrun {
  kLog,       ///< nothing else
  kSkipNext,  ///< the next job of the task is not released
  kStop,      ///< the run ends as soon as the work in flight has ended
};

/// Decides for each overrun. Called by the thread that runs the plan, so it must be short.
using OverrunCallback = std::function<OnOverrun(const Overrun&)>;

}  // namespace tactus::runtime
