#pragma once

#include "tactus/arbiter/tier.hpp"

namespace tactus::arbiter::client {

/// Work that leaves the GPU when it is asked to, and can go on later from where it was.
struct LeavingWork {
  void* self = nullptr;
  /// Asks it to leave, or no longer to. False: that cannot be said now.
  bool (*ask_to_leave)(void* self, bool leave) = nullptr;
  /// Has the GPU nothing of it left?
  bool (*idle)(void* self) = nullptr;
  /// Idle: is all of it done?
  bool (*finished)(void* self) = nullptr;
  /// Launches the rest, without waiting for it.
  bool (*launch_rest)(void* self) = nullptr;
};

/// The tier `yield` for batches behind a gate: a batch is taken off by asking its work to leave, and
/// put back by launching the rest of it. The control thread does both, so the task needs no core.
/// @param work must outlive the tier
Tier leaving_tier(const LeavingWork& work);

}  // namespace tactus::arbiter::client
