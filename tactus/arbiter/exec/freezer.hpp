#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "tactus/arbiter/client/process_tier.hpp"

namespace tactus::arbiter::exec {

/// The tier `process` where the kernel has a freezer: the command and all its descendants in a
/// control group (cgroup v2) of their own, which the kernel stops and continues as a whole. No
/// process escapes by forking, and the kernel itself says when all is off.
class Freezer {
 public:
  /// Makes a control group below this process's own; nothing if that is not possible. Puts back,
  /// and removes, what others have left there who were killed.
  /// @param record gets the name, so that another process can continue it
  static std::optional<Freezer> make(client::StoppedProcesses& record);
  /// Removes it; processes that are still in it go on.
  ~Freezer();
  Freezer(Freezer&& other) noexcept;
  Freezer& operator=(Freezer&&) = delete;

  /// From now on this process, and what it starts, belongs to it.
  bool take_in(pid_t process) const;
  TierResult take_off(std::int64_t deadline_ns);
  TierResult put_back();
  /// Kills all that is in it; false if this kernel cannot.
  bool kill_all();
  /// Named `process` like the one that stops by signals: it does the same.
  Tier tier();

 private:
  Freezer() = default;
  TierResult freeze(bool on, std::int64_t deadline_ns);
  std::string folder_;
  int lock_ = -1;    ///< held on the folder, as long as somebody may have to continue what is in it
  int switch_ = -1;  ///< kept open: who is frozen can be thawed without a new descriptor
};

/// Continues what is in it and, when the last process has left, removes it.
void abandon_control_group(const char* folder);

}  // namespace tactus::arbiter::exec
