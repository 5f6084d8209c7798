#pragma once

#include "tactus/arbiter/client/connection.hpp"

/// The one client of this process, for code that lives in it (the C interface, the preloaded
/// library). Safe to call from several threads.
namespace tactus::arbiter::client {

/// The connection; not necessarily open.
Connection& process_connection();

/// Makes this the process's tier, in place of the gate. A tier that must find something first (the
/// channels of a GPU context) is chosen when it has found it.
void choose_tier(const Tier& tier, const TierCost& cost = {});

/// What tactus_segment_begin and tactus_segment_end do.
Outcome begin_segment(Urgency urgency);
Outcome end_segment();

}  // namespace tactus::arbiter::client
