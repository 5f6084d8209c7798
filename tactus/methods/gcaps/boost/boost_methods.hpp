#pragma once

#include "tactus/methods/method.hpp"

/// GCAPS with the GPU held only while work is on it, and with switches only where they are needed:
/// four methods of our own. docs/use/methods/boost.md.
namespace tactus::gcaps::boost {

extern const Method kSuspend, kBusy, kSuspendPrio, kBusyPrio;

}  // namespace tactus::gcaps::boost
