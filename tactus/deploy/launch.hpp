#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/decide/cover.hpp"
#include "tactus/decide/deployment.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

/// From a plan to what must be started: which programs, where, how urgent.
namespace tactus::deploy {

/// How programs come under the arbiter.
enum class By {
  kSegments,  ///< each marks its GPU segments itself (tactus/client.h)
  kChannel,   ///< the same; those of best-effort tasks are unchanged, under `tactus exec`, and for
              ///< gcaps.boost the others have the library that takes segments off
  kProcess,   ///< all unchanged, under `tactus exec`, which stops processes: no GPU
};

struct Wish {
  std::string tactus = "/usr/bin/tactus", tactusd = "/usr/bin/tactusd";
  std::string socket = "/run/tactus/tactus.sock";
  std::string group = "video";  ///< who may connect, if tasks have users of their own
  std::vector<int>
      cpus;  ///< the CPU of each core of the file, then the arbiter's; empty: 0, 1, ...
  By by = By::kSegments;
  bool realtime = true;
  std::string backend = "cuda";   ///< of a program that plays a plan
  bool without_commands = false;  ///< nothing will be started: tasks need no `command`
};

/// One program to start.
struct Program {
  std::string name;  ///< of its task, for people and file names
  std::vector<std::string> words;
  std::optional<std::string> folder, user;
  std::vector<Variable> environment;
  std::optional<int> cpu;
  int fifo = 0;  ///< SCHED_FIFO priority; 0: none
  std::vector<std::string> groups;
  bool on_path = false;  ///< it starts others, or is started
  std::string diaries;   ///< the folder where it writes down its jobs, its user's alone
  std::string why;       ///< one line: from where in the file and in the plan this comes
};

/// The words in front of a command that put it where it belongs: its priority, its CPU, its user.
std::vector<std::string> place_words(const Program& program);

/// Everything that one deployment starts.
struct Launch {
  std::string system, method, variant;
  decide::Way way = decide::Way::kArbiter;
  std::string socket;                ///< of the arbiter
  std::optional<std::string> paths;  ///< folder where tasks that start each other meet
  std::string tactus;                ///< the program
  std::optional<Program> arbiter;
  std::vector<Program> programs;
  std::vector<std::string> notes;  ///< what the programs must do, and what is not as analysed
  bool counts_on_channel = false;  ///< the plan, however it is started
  std::vector<decide::Condition> waived;     ///< that do not hold, and were accepted
  std::vector<decide::Condition> unsettled;  ///< that only a look at the machine can settle
};

/// The CPU of every core of the file and of the arbiter, as far as they have one.
struct Places {
  std::vector<int> cpu_of_core;  ///< from core 1 on
  std::optional<int> arbiter;
};
/// @param cpus as in `Wish`
Result<Places> places_of(const System& system, const std::vector<int>& cpus, bool with_arbiter);

/// Where the files of a program that plays a plan lie, as that program finds them.
struct PlanFiles {
  std::string system, plan;
};

/// @return the launch, or everything that keeps it from being made, each with its place in the file
Result<Launch, std::vector<Error>> launch_of(const System& system, const Method& method,
                                             const Verdict& plan, const Wish& wish,
                                             const PlanFiles& files);

}  // namespace tactus::deploy
