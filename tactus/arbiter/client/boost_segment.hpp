#pragma once

#include "tactus/arbiter/client/connection.hpp"
#include "tactus/client.h"

/// Segments under an arbiter for boost, of this process: what the functions of tactus/client.h do.
/// One at a time; each belongs to the thread that began it.
namespace tactus::arbiter::client::boost {

/// `hold`, or what the variable TACTUS_TIER asks for.
Tier usual_tier();

/// @param threshold as in tactus/client.h
Outcome begin_streams(void* const* streams, int count, Urgency urgency, int threshold);
Outcome begin_host(Urgency urgency, int threshold);
/// Of a host segment: waits for the turn.
Outcome submit();
Outcome words(tactus_words& words);
Outcome end();
/// Ends it, to be begun again with the same streams, priority and threshold.
Outcome pause();
Outcome go_on();
Outcome split();  ///< both
/// A segment of the process that is under way, by a number of its own; 0: none.
std::uint32_t in_flight();
/// Is the calling thread inside such a segment?
bool inside();
/// Is it inside one whose gate is shut, and not in the middle of a call of this file?
bool gate_is_shut();
const char* problem();

// For a tier that asks work to leave, so that its launch ends early: the marks that are written then do
// not count. Of the segment that was submitted, from the control thread.

/// Before the work is asked to leave.
void cut_short();
bool is_cut_short();
/// It had ended by itself: its marks count.
void not_cut_short();
/// Launches the rest of it, with new marks behind it. False: the GPU does not take it.
bool go_on_cut_short(bool (*launch)(void* work), void* work);

/// Around a fork, with the locks of the process's client held.
void after_fork_in_child();

}  // namespace tactus::arbiter::client::boost
