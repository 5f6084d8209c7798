#pragma once

#include "tactus/model/system.hpp"

/// GPUSched as the paper prints it (Algorithms 1 to 4), for the tests that show where it is wrong,
/// and with the repairs R1 to R7 of tactus/methods/pbs/theory.md one by one. Two are always granted,
/// without which hardly any verdict would be right: intervals of arrivals are half-open (R1), and
/// jobs left over at the end of the hyperperiod count (R2).
namespace tactus::pbs::testing {

enum class Expansion { kFirstInFirstOut, kLastInFirstOut, kByTime /* R6 */ };

struct Repairs {
  bool recheck_deadlines = false;    ///< R3: inherited and propagated Deltas
  bool pass_on_deltas = false;       ///< R4: of the vertex that is merged away
  bool split_beside = false;         ///< R5: a split vertex is a sibling without Deltas
  bool time_before_forward = false;  ///< R7: test against the time before fast-forward
};

/// Its verdict. The system must not have blocks or offsets, and at most 64 jobs.
bool gpusched(const System& system, Expansion expansion, Repairs repairs = {});

}  // namespace tactus::pbs::testing
