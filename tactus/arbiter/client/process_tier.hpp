#pragma once

#include <sys/types.h>

#include <atomic>

#include "tactus/arbiter/client/gate.hpp"

namespace tactus::arbiter::client {

/// The processes that are stopped now, in memory that outlives the process that stopped them.
struct StoppedProcesses {
  static constexpr std::uint32_t kMost = 4000;
  char control_group[256];  ///< the folder of one that may be frozen; empty: there is none
  std::atomic<std::uint32_t> count;
  std::atomic<pid_t> processes[kMost];
};

/// The tier `process`: a process and all its descendants, stopped by SIGSTOP and continued by
/// SIGCONT. For CPU-bound work, so that everything but the GPU can be run for real without one.
///
/// The tree is walked from its root: a stopped process cannot fork, so what is found below it is
/// all there is. Descendants that lost their parent are found when the caller is their subreaper
/// (PR_SET_CHILD_SUBREAPER). Taken off means seen to be stopped, every thread of it. If the tree
/// changes during the walk (processes die, and their children appear elsewhere), the walk is not
/// enough, and all processes of the machine are checked until twice nothing was left to stop.
class ProcessTier {
 public:
  /// @param root a process; with `below_only` it is spared and only its descendants are meant
  /// @param record where to note who is stopped, before it is; may be null
  explicit ProcessTier(pid_t root, bool below_only = false, StoppedProcesses* record = nullptr)
      : root_(root), below_only_(below_only), record_(record) {}

  TierResult take_off(std::int64_t deadline_ns);
  TierResult put_back();
  /// Ends all of them: stopped first, so that nobody escapes by forking. @pre there is a record
  /// @return whether there was nobody left to end
  bool kill_all(std::int64_t deadline_ns);
  /// Off: uses no CPU time for 2 ms. On again: not stopped.
  bool self_test(char* why, std::size_t why_size);
  Tier tier();

 private:
  /// @param note_stopped in the record: also those that others have stopped
  TierResult stop_all(std::int64_t deadline_ns, bool note_stopped);

  pid_t root_;
  bool below_only_;
  StoppedProcesses* record_;
  bool restless_ = false;  ///< the tree changed while it was taken off
};

}  // namespace tactus::arbiter::client
