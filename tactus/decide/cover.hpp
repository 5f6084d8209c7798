#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/arbiter/tasks/task_block.hpp"
#include "tactus/decide/deployment.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

/// Does this start cover this proof? The one judge between a plan and what is started: `run`,
/// `deploy`, `doctor`, `advise`, `analyze` and the pages ask it, and none decides for itself.
namespace tactus::decide {

enum class Holds { kYes, kNo, kNotKnown };
std::string_view to_string(Holds holds);  ///< "yes", "no", "not known"

/// Who can see to a condition.
enum class Whose {
  kStart,    ///< whoever writes how it is started
  kMachine,  ///< whoever sets the machine up
  kProgram,  ///< whoever writes the programs; nobody else can see it before they run
};
std::string_view to_string(Whose whose);

/// One thing that the bounds of a plan assume of its start.
struct Condition {
  std::string id;    ///< a word, for `--accept`
  std::string what;  ///< what must hold; where it does not, what is there instead
  Holds holds = Holds::kNotKnown;
  std::string from;  ///< the page, and the sentence of the assumption there
  std::string help;  ///< what would make it hold; empty where it does
  Whose whose = Whose::kStart;
};

using Tier = arbiter::tasks::TierChoice;

/// How the processes of one task are started. Nothing: not known.
struct TaskStart {
  bool there = true;                      ///< of what runs: a process was found
  std::optional<Tier> tier;               ///< as it really is; of no meaning without GPU work
  std::string why_tier;                   ///< where another one was asked for: why it is this
  std::optional<bool> takes_copies_off;   ///< of the tier channel
  std::optional<Time> leaves_in;          ///< tiers that wait: how long; none: as the file says
  std::optional<bool> marks_segments;     ///< in its own code; false: it is one from start to end
  std::optional<bool> best_effort;        ///< on the GPU
  std::optional<std::int64_t> priority;   ///< on the GPU
  std::optional<std::int64_t> threshold;  ///< boost: of the segment that is there now
  std::optional<std::set<int>> cpus;      ///< where it may run
  std::optional<int> fifo;                ///< SCHED_FIFO priority; 0: none
  std::optional<std::string> after;       ///< whose end it is told to wait for: "robot/camera"
};

struct ArbiterStart {
  bool boost = false;  ///< which protocol it speaks
  std::optional<int> cpu;
  int fifo = 0;
};

/// How a plan is started: planned (`deploy`), present (`doctor`, `run`) or observed.
struct Start {
  std::vector<TaskStart> tasks;  ///< by task; empty where one program plays the plan
  std::optional<ArbiterStart> arbiter;
  bool real_gpu = true;            ///< false: GPU work is played elsewhere
  bool own_programs = false;       ///< tactus's own: they do what a plan asks of programs
  std::vector<Condition> machine;  ///< what the machine grants, of all that the plan counts on
};

/// Every condition under which the bounds of the plan hold for this start. @param plan with its plan
std::vector<Condition> judge(const System& system, const Verdict& plan, const Start& start);

/// The worst of them, of those that others than the programs can see to.
Holds conclusion(const std::vector<Condition>& conditions);

/// How plans of this verdict are started where nobody says how: each core on a CPU of its own, by
/// the priorities of the plan. @param tier of GPU work
Start usual_start(const System& system, const Verdict& plan, Tier tier);

/// Is this variant of the analysis about runs such as these?
bool describes(const Deployment& deployment, std::string_view variant);

/// The first tier, of those that `deploy` knows, under which nothing is refused, with all
/// conditions; where there is none, the usual tier with what is refused. Nothing where no plan of
/// the method is started here.
struct Cover {
  Tier tier = Tier::kGate;
  std::vector<Condition> conditions;
};
std::optional<Cover> cover_of(const System& system, const Verdict& plan);

/// The tier that GPU work has by itself: nothing was said.
Tier usual_tier(const Verdict& plan);

/// Which times of the file the proof rests on without cover: sentences that stand beside every
/// "proved". Never empty.
std::vector<std::string> not_covered(const System& system);

}  // namespace tactus::decide
