#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/executors/executor.hpp"
#include "tactus/trace/observed.hpp"
#include "tactus/trace/trace.hpp"
#include "tactus/verbs/about.hpp"
#include "tactus/verbs/subject.hpp"

namespace tactus::verbs {

/// What plays a plan.
struct MachineQuestion {
  std::string backend = "emulator";
  int device = 0;
  bool realtime = false;
  std::string kernel = "compute";
  std::int64_t sms = 0, partition_step = 1;  ///< 0: those of the file
};
/// @param backends those that there are for what is asked
void describe(MachineQuestion& question, Fields& is,
              std::initializer_list<std::string_view> backends);

runtime::BackendOptions machine_of(const MachineQuestion& question);

/// How a plan is played.
struct PlayQuestion {
  std::optional<std::uint32_t> jobs;
  std::string duration;
  bool until_stopped = false;
  std::string on_overrun;
  std::string strategy = "planned";
  bool share_gpu = false, strict = false;
  std::string scenario = "offsets,worst";
  std::uint64_t seed = 1;
  int fill = 95;
  std::string jitter;  ///< of the emulator; empty: none
  std::string trace;
  std::uint64_t trace_last = 0;  ///< 0: all
  // Not for who asks: who else sees what happens.
  std::function<Answer<trace::TraceSink*>(const System&, trace::TraceSink*)> watch;
  std::function<void(const System&, const Verdict&, const trace::Observed&,
                     const std::vector<runtime::LiveJob>&)>
      look;
  runtime::Arrivals* arrivals = nullptr;
  runtime::OverrunCallback overrun;
  std::function<void(TaskIndex, std::uint32_t job)> skipped;
};
void describe(PlayQuestion& question, Fields& is);

/// A session: a system, the plan that it runs, and where.
struct OpenQuestion {
  About about;
  MethodChoice choice;
  Document plan;
  MachineQuestion machine;
};
void describe(OpenQuestion& question, Fields& is);

/// Plays a plan. What of the question does nothing is told. @param fields of both questions
Answer<trace::Observed> play(const System& system, const Subject& subject, const PlayQuestion& how,
                             const MachineQuestion& machine, const Fields& fields,
                             const Companion& companion,
                             const runtime::Workload* workload = nullptr);

/// A plan is run, by this process or by one per task.
struct RunQuestion {
  About about;
  MethodChoice choice;
  Document plan;
  std::string mode, tier, wait;  ///< of tasks that are processes
  MachineQuestion machine;
  PlayQuestion how;
  const Fields* fields = nullptr;  ///< of this question
};
void describe(RunQuestion& question, Fields& is);

struct Ran {
  std::shared_ptr<const decide::Edited> edited;  ///< at one place: watchers point to its system
  trace::Observed observed;
  bool as_processes = false;

  Exit exit() const;
  std::string json() const;
};
Answer<Ran> answer(const RunQuestion& question, const Companion& companion);

/// Are plans of this method run as processes?
bool runs_as_processes(const Method& method);

/// What is run as processes: a plan, or a method that makes one from the file.
struct ProcessRun {
  const Method& method;
  std::optional<std::string> variant;  ///< as asked for
  const Verdict* plan = nullptr;       ///< of a plan file
};
Answer<trace::Observed> run_processes(const System& system, const ProcessRun& subject,
                                      const RunQuestion& question, Time duration,
                                      const Companion& companion);
/// The method that `mode` and `wait` choose in place of the one that was named.
Answer<const Method*> method_of_processes(const RunQuestion& question, const Method* named);

}  // namespace tactus::verbs
