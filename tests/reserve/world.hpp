#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tactus/arbiter/boost/decide.hpp"
#include "tactus/arbiter/boost/guard.hpp"
#include "tactus/base/random.hpp"
#include "tactus/reserve/controller.hpp"

/// A machine on which tasks ask, run, lie, die and leave: cores with fixed
/// priorities, the arbiter's rules, and the controller. Event by event, in
/// whole nanoseconds.
namespace tactus::reserve::tests {

using Ns = std::int64_t;

/// What a mutant of the machine forgets.
enum class Forget {
  kNothing,
  kPhantoms,        ///< a departure is taken for an idle instant
  kLengths,         ///< nobody is demoted for being too long
  kOverrun,         ///< too long is noticed, but the bounds do not count it
  kArrivals,        ///< what is claimed counts, however soon after the last
  kIndex,           ///< segments beyond those that were admitted are like them
  kCompletions,     ///< nobody is demoted for being late while on
  kPreCheck,        ///< nobody is demoted before being put on too late
  kBudgets,         ///< threads keep their priority beyond their CPU time
  kWindows,         ///< ... and beyond the end of their job's window
  kBudgetsCounted,  ///< the bounds count the phases of a liar as if it kept to
                    ///< them
  kBestEffort,      ///< the bounds count none
};

struct Play {
  std::uint64_t index = 0;
  gcaps::Mode mode = gcaps::Mode::kSuspend;
  bool liars = false;
  Forget forget = Forget::kNothing;
};

struct Outcome {
  std::string broken;  ///< empty: nobody honest was late or demoted
  int admitted = 0, jobs = 0, departures = 0, crashes = 0, demotions = 0, reached = 0;
};

Outcome play(const Play& play);

}  // namespace tactus::reserve::tests
