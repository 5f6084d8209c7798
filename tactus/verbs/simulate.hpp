#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tactus/trace/observed.hpp"
#include "tactus/trace/trace.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::verbs {

/// A run under the policy behind a method, or of a plan.
struct SimulateQuestion {
  About about;
  MethodChoice choice;
  Document plan;  ///< instead of a method
  std::string scenario = "sync,worst,fifo";
  std::uint64_t seed = 1;
  bool late_completions = false;
  std::uint32_t jobs = 100;
  std::string duration;
  Document script;                 ///< to be replayed
  std::string trace;               ///< the name of a file to be written
  const Fields* fields = nullptr;  ///< of this question
  // Not for who asks: whether the run is noted as a script, and who else sees what happens. The
  // watcher is told the system that runs, and the sink of the trace, which may be null.
  bool record = false;
  std::function<Answer<trace::TraceSink*>(const System&, trace::TraceSink*)> watch;
  std::function<void()> ended;  ///< called after the run, while its system lives
};
void describe(SimulateQuestion& question, Fields& is);

/// The fields by which a method is chosen, where its policy is run.
void describe_policy(MethodChoice& choice, Document& plan, Fields& is);

struct Simulated {
  std::shared_ptr<const decide::Edited> edited;  ///< at one place: watchers point to its system
  trace::Observed observed;

  Exit exit() const;
  std::string json() const;
};
Answer<Simulated> answer(const SimulateQuestion& question, const Companion& companion);

/// Why completions cannot be seen late in runs of this method.
std::string nobody_sees_completions(const Method& method);

/// A time > 0 in the unit of the system, for the option of that name.
Answer<Time> time_of(std::string_view option, std::string_view text, const System& system);

/// How a simulated run turned out.
Exit exit_of(const trace::Observed& observed);

/// Whether what happens in a scenario is random, so that a seed means something.
bool is_random(const trace::Scenario& scenario);

}  // namespace tactus::verbs
