#pragma once

#include <cstdint>

namespace tactus::arbiter::client {

/// What one pass over processes found, which stopped every one that ran.
struct Seen {
  std::uint32_t running = 0;   ///< so many were found
  std::uint32_t dead = 0;      ///< and so many that had ended
  std::uint32_t vanished = 0;  ///< and so many that were gone since they were listed
  bool late = false;           ///< one did not stop, or there was no time left
};

/// Stops a tree of processes that goes on changing, until it is known to be still.
///
/// One walk that finds no change, and another one that finds nothing new: done. But a process that
/// loses its parent appears where the walk has been already, and the kernel's lists of children
/// have gaps while some die. Then all processes are checked, until nothing was found twice.
///
/// @param below walks the tree from its root, and returns what it has `Seen`
/// @param everywhere passes over all processes of the machine, and returns the same
/// @param restless whether the tree changed meanwhile
/// @return false when a pass was late: the tree may go on
template <typename Below, typename Everywhere>
bool stop_until_quiet(const Below& below, const Everywhere& everywhere, bool& restless) {
  constexpr int kQuiet = 2;
  restless = false;
  for (int walks = 0, verified = 0;;) {
    for (int quiet = 0; quiet < kQuiet; ++walks) {
      const Seen seen = below();
      if (seen.late) return false;
      quiet = seen.running == 0 ? quiet + 1 : 0;
      restless = restless || seen.dead > 0 || (walks > 0 && seen.running > 0);
    }
    if (!restless || verified == kQuiet) return true;
    const Seen seen = everywhere();
    if (seen.late) return false;
    verified = seen.running == 0 && seen.vanished == 0 ? verified + 1 : 0;
  }
}

}  // namespace tactus::arbiter::client
