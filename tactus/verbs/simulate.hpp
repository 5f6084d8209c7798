#pragma once

#include <string>
#include <string_view>

#include "tactus/simulate/engine.hpp"
#include "tactus/trace/observed.hpp"
#include "tactus/verbs/slack.hpp"
#include "tactus/verbs/subject.hpp"

namespace tactus::verbs {

/// What the one chosen method says, if its policy can be simulated.
/// @param file what the system is called in messages
Answer<Subject> policy_subject(const Methods& methods, const System& system,
                               const std::string& file, const Options& options);

/// Where no method is named: the one that the file deploys, else the best that can be simulated.
/// @param variant where the caller asked for one
Answer<decide::Choice> usual_policy(const System& system, const Options& options,
                                    const std::optional<std::string>& variant);

/// Why completions cannot be seen late in runs of this method.
std::string nobody_sees_completions(const Method& method);

/// A time > 0 in the unit of the system, for the option of that name.
Answer<Time> time_of(std::string_view option, std::string_view text, const System& system);

/// Simulates the policy behind the subject, which fixes parts of the scenario, and holds what is seen to its bounds.
Answer<trace::Observed> simulate(const System& system, const Subject& subject,
                                 const trace::Scenario& scenario, const simulate::Until& until,
                                 trace::TraceSink* sink = nullptr);

/// How a simulated run turned out.
Exit exit_of(const trace::Observed& observed);

}  // namespace tactus::verbs
