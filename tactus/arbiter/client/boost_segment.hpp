#pragma once

#include "tactus/arbiter/client/connection.hpp"
#include "tactus/client.h"

/// Segments under an arbiter for boost, of this process: what the functions of tactus/client.h do.
/// One at a time; each belongs to the thread that began it.
namespace tactus::arbiter::client::boost {

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
/// Is the calling thread inside such a segment?
bool inside();
/// Is it inside one whose gate is shut, and not in the middle of a call of this file?
bool gate_is_shut();
const char* problem();

/// Around a fork, with the locks of the process's client held.
void after_fork_in_child();

}  // namespace tactus::arbiter::client::boost
