#pragma once

#include <cstdint>
#include <string>

/// A machine on which programs ask the arbiter's own register, run under its own coordinator and
/// enforcement, lie, die and leave. Event by event, in whole nanoseconds; each program has a core of its
/// own.
namespace tactus::arbiter::admit::tests {

/// What a mutant of the machine leaves out.
enum class Forget {
  kNothing,
  kEnforcement,  ///< nobody is demoted, and nobody waits for its arrival
  kPhantoms,     ///< whoever is gone does not count from that instant on
  kAmends,       ///< jobs under way keep the place and the times of before
  kFirst,        ///< who is started again need not wait for the period of its last job
};

struct Play {
  std::uint64_t index = 0;
  bool liars = true;
  bool restarts = false;
  Forget forget = Forget::kNothing;
};

struct Outcome {
  std::string broken;  ///< empty: nobody honest was late or demoted
  int admitted = 0, refused = 0, jobs = 0, releases = 0, crashes = 0, breaches = 0, restarts = 0,
      again = 0;
};

Outcome play(const Play& play);

}  // namespace tactus::arbiter::admit::tests
