#include "tactus/decide/cover.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tactus/decide/cover_case.hpp"
#include "tactus/decide/standing.hpp"

namespace tactus::decide {
namespace {

// Where the conditions come from: a page, and words that stand there (tests/decide/cover_test.cpp
// looks them up).
constexpr std::string_view kPartitioned =
    "methods/gcaps.md: One `cpu` element of identical cores, partitioned, preemptive fixed "
    "priority";
constexpr std::string_view kWhileItWaits =
    "methods/gcaps.md: what the task does on its CPU while it uses or waits for the GPU";
constexpr std::string_view kOwnKernels =
    "deploy.md: with kernels of its own that take the times of the file";
constexpr std::string_view kLockOfPrograms = "deploy.md: their lock is part of the programs";
constexpr std::string_view kReleasedInTime =
    "pipelines.md: a job *arrives* every period, and is *released* (ready to run) up to 3 later";
constexpr std::string_view kOffsetsKept =
    "pipelines.md: the offsets of the file must be kept at run time";
constexpr std::string_view kStarted =
    "pipelines.md: its job k is released when job k of `camera` completes";

void proved(CoverCase& one, const Result<Deployment>& deployment) {
  if (one.verdict.status != Status::kSchedulable)
    one.add("proof", Holds::kNo, "the plan does not prove every deadline", kPartitioned,
            "tactus advise says what would be proved");
  if (!deployment) return;
  const std::string& variant = one.verdict.variant;
  const bool same = describes(*deployment, variant);
  one.add("variant", same ? Holds::kYes : Holds::kNo,
          same ? fmt::format("the variant {} describes what is started", variant)
               : fmt::format("the plan is of the variant {}; what is started is described by {}",
                             variant, deployment->variant),
          kVariantInForce, fmt::format("make the plan with --variant {}", deployment->variant));
}

/// What only programs can do; tactus's own are known to do it.
void by_programs(CoverCase& one, std::string id, std::string_view what, std::string_view from,
                 std::string help) {
  const bool own = one.start.own_programs;
  one.add(std::move(id), own ? Holds::kYes : Holds::kNotKnown,
          (own ? "" : "that ") + std::string(what), from, std::move(help), Whose::kProgram);
}

void locked(CoverCase& one) {
  by_programs(one, "lock", "every program takes the plan's lock around its GPU work",
              kLockOfPrograms, "only tactus run has it");
}

void waiting(CoverCase& one) {
  if (one.plan->waiting != gcaps::Mode::kBusy || !one.most_urgent) return;
  by_programs(one, "waiting", "programs keep their core while the GPU works for them",
              kWhileItWaits,
              "tactus_set_waiting(TACTUS_BUSY), and wait for kernels busily "
              "(cudaDeviceScheduleSpin)");
}

void started(CoverCase& one) {
  std::vector<std::string> missing;
  for (TaskIndex i = 0; i < one.start.tasks.size(); ++i)
    if (!one.start.tasks[i].there) missing.push_back(one.name(i));
  if (!missing.empty())
    one.add("started", Holds::kNotKnown, "no process of these tasks is seen: " + listed(missing),
            kPartitioned, "start them; as root, processes of every user are seen");
}

/// Each core is one CPU, and no two cores are the same.
void cores(CoverCase& one) {
  Tasks found;
  std::map<std::int64_t, int> cpu_of;
  std::map<int, std::int64_t> core_of;
  for (TaskIndex i = 0; i < one.start.tasks.size(); ++i) {
    const auto& cpus = one.start.tasks[i].cpus;
    const std::int64_t core = one.plan->cores[i];
    if (!one.start.tasks[i].there) continue;
    if (!cpus) {
      found.unseen.push_back(one.name(i));
    } else if (cpus->size() != 1 ||
               cpu_of.try_emplace(core, *cpus->begin()).first->second != *cpus->begin() ||
               core_of.try_emplace(*cpus->begin(), core).first->second != core) {
      found.others.push_back(one.name(i));
    }
  }
  one.add("cores", found.holds(),
          found.say("not alone on one CPU per core of the plan: ", "on which CPUs these run: ",
                    "every task is on the CPU of its core, and each core has its own"),
          kPartitioned, "name a CPU of its own for every core (--cpus)");
}

/// Tasks of one core have SCHED_FIFO priorities in the order of the plan.
void cpu_order(CoverCase& one) {
  Tasks found;
  const auto look = [&](TaskIndex i, TaskIndex j) {  // i is more urgent
    const TaskStart &above = one.start.tasks[i], &below = one.start.tasks[j];
    if (!above.there || !below.there) return;
    if (!above.fifo || !below.fifo) {
      found.unseen.push_back(one.name(i));
    } else if (*above.fifo <= *below.fifo) {
      found.others.push_back(fmt::format("{} above {}", one.name(i), one.name(j)));
    }
  };
  for (TaskIndex i = 0; i < one.start.tasks.size(); ++i) {
    for (TaskIndex j = 0; j < one.start.tasks.size(); ++j) {
      const auto *const above = one.entries[i], *const below = one.entries[j];
      if (i == j || above == nullptr || one.plan->cores[i] != one.plan->cores[j]) continue;
      if (below == nullptr || above->priority > below->priority) look(i, j);
    }
  }
  one.add("cpu-order", found.holds(),
          found.say("tasks of one core are not in the order of the plan: ",
                    "in which order tasks of one core run: ",
                    "tasks of one core run in the order of the plan"),
          kPartitioned,
          "SCHED_FIFO priorities in that order (without --no-realtime; run: --realtime)");
}

void played(CoverCase& one) {
  one.add(
      "own-kernels", Holds::kNotKnown,
      "that your kernels take no longer than the file says: one program plays the plan with its "
      "own",
      kOwnKernels, "link the library (docs/inside/library.md), and play your own", Whose::kProgram);
}

void real_gpu(CoverCase& one) {
  if (one.start.real_gpu) return;
  one.add("real-gpu", Holds::kNo, "GPU work is not done on a GPU", kOwnKernels,
          "--tier gate or channel; --backend cuda");
}

/// That jobs are released as the file says. Nobody sees that of programs of others before they run;
/// tactus's own do it, and count what is outside of the model.
void releases(CoverCase& one) {
  const bool own = one.start.own_programs || one.start.tasks.empty();
  const Holds known = own ? Holds::kYes : Holds::kNotKnown;
  const auto add_of_programs = [&](const char* id, const std::vector<std::string>& whose,
                                   std::string_view what, std::string_view from,
                                   std::string_view help) {
    if (whose.empty()) return;
    one.add(id, known, (own ? "seen to by this program: " : "") + std::string(what) + listed(whose),
            from, std::string(help), Whose::kProgram);
  };
  std::vector<std::string> late, started, astray, fixed;
  for (TaskIndex i = 0; i < one.system.tasks.size(); ++i) {
    const Task& task = one.system.tasks[i];
    if (task.jitter > Time() && !task.best_effort) late.push_back(task.name);
    if (!task.after) continue;
    const auto told = own ? std::nullopt : one.start.tasks[i].after;
    const std::string right = one.system.name + "/" + one.system.tasks[*task.after].name;
    (told && told != right ? astray : started).push_back(task.name);
  }
  for (const Chain& chain : one.system.chains)
    if (chain.phases == Chain::Phases::kFixed) fixed.push_back(chain.name);
  if (!astray.empty())
    one.add("after", Holds::kNo, "these are not told whose end starts them: " + listed(astray),
            kStarted, "TACTUS_PATHS and TACTUS_AFTER, as `tactus deploy` sets them");
  if (astray.empty())
    add_of_programs("after", started,
                    "that these start when the task before them has ended: ", kStarted,
                    "tactus_path_wait, tactus_path_ended (tactus/client.h)");
  add_of_programs("jitter", late, "that jobs of these are released in time: ", kReleasedInTime,
                  "watch how late their releases are (tactus_path_releases)");
  add_of_programs("phases", fixed,
                  "that the tasks of these chains keep their offsets: ", kOffsetsKept,
                  "count arrivals from one instant in all programs (tactus_next_arrival), or say "
                  "\"phases\": \"any\"");
}

}  // namespace

std::vector<Condition> judge(const System& system, const Verdict& plan, const Start& start) {
  CoverCase one(system, plan, start);
  const Method* const method = find_method(plan.method);
  const auto deployment = method != nullptr ? deployment_of(*method) : Error{"there is none"};
  proved(one, deployment);
  if (deployment && one.plan != nullptr && !start.tasks.empty()) {
    if (deployment->way == Way::kArbiter) judge_arbitrated(one);
    if (deployment->way == Way::kLock) {
      locked(one);
    } else {
      judge_copies(one);
    }
    waiting(one);
    started(one);
    cores(one);
    cpu_order(one);
  } else if (deployment) {
    played(one);
  }
  real_gpu(one);
  releases(one);
  one.conditions.insert(one.conditions.end(), start.machine.begin(), start.machine.end());
  return std::move(one.conditions);
}

Holds conclusion(const std::vector<Condition>& conditions) {
  Holds worst = Holds::kYes;
  for (const Condition& condition : conditions) {
    if (condition.holds == Holds::kNo) return Holds::kNo;
    if (condition.holds == Holds::kNotKnown && condition.whose != Whose::kProgram)
      worst = Holds::kNotKnown;
  }
  return worst;
}

std::string_view to_string(Holds holds) {
  switch (holds) {
    case Holds::kYes:
      return "yes";
    case Holds::kNo:
      return "no";
    case Holds::kNotKnown:
      return "not known";
  }
  return {};
}

std::string_view to_string(Whose whose) {
  switch (whose) {
    case Whose::kStart:
      return "start";
    case Whose::kMachine:
      return "machine";
    case Whose::kProgram:
      return "program";
  }
  return {};
}

}  // namespace tactus::decide
