#pragma once

#include "tactus/arbiter/client/connection.hpp"

/// The one client of this process, for code that lives in it (the C interface, the preloaded
/// library). Safe to call from several threads.
namespace tactus::arbiter::client {

/// The connection; not necessarily open.
Connection& process_connection();

/// Makes this the process's tier, in place of the usual one (`gate` under gcaps, `hold` under boost;
/// a tier that holds at begin is `hold` there, too). A tier that must find something first (the
/// channels of a GPU context) is chosen when it has found it.
void choose_tier(const Tier& tier, const TierCost& cost = {});

/// What tactus_segment_begin and tactus_segment_end do under gcaps.
Outcome begin_segment(Urgency urgency);
Outcome end_segment();

/// The same for the process as a whole: who begins and who ends it may be different threads.
/// @return below zero: it was not begun
Outcome begin_for_process(Urgency urgency);
void end_for_process();

/// Is the calling thread inside such a segment?
bool inside_gcaps_segment();
/// The whole process is one segment, whatever the arbiter speaks. Before its first begin.
void join_any_arbiter();
/// Connects to an arbiter for boost, if there is one and the process is not connected.
void look_for_boost_arbiter();
/// Can GPU work of this process be taken off, once it is on?
bool work_can_leave();
/// What tactus_protocol says.
const char* spoken_protocol();
Waiting waiting_of_process();

}  // namespace tactus::arbiter::client
