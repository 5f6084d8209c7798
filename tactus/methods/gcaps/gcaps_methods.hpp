#pragma once

#include "tactus/methods/method.hpp"

/// The ten methods around GCAPS (ECRTS 2024): preemptive GPU priorities, the driver's round robin,
/// and two locking protocols. docs/use/methods/gcaps.md.
namespace tactus::gcaps {

extern const Method kGcapsSuspend, kGcapsBusy, kGcapsSuspendPrio, kGcapsBusyPrio;
extern const Method kTsgRrSuspend, kTsgRrBusy;
extern const Method kMpcpSuspend, kMpcpBusy;
extern const Method kFmlpSuspend, kFmlpBusy;

}  // namespace tactus::gcaps
