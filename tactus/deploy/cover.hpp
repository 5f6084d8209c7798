#pragma once

#include <map>
#include <string>
#include <vector>

#include "tactus/deploy/checkup.hpp"

/// What the judge (decide/cover.hpp) is told of a deployment: how it will be started.
namespace tactus::deploy {

/// Each program as its words and its environment start it, whatever it was meant to be.
/// @pre launch is of `system`
decide::Start start_of(const System& system, const Launch& launch, const Wish& wish);

/// How a program with these words and variables takes its GPU work off, and how urgent it is.
/// @param boost under an arbiter with that protocol
decide::TaskStart task_start(const std::vector<std::string>& words,
                             const std::map<std::string, std::string>& environment, bool boost);

/// What the plan counts on, as it was found on a machine.
std::vector<decide::Condition> granted(const std::vector<Check>& checks);
/// The same, of a machine that nobody has looked at.
std::vector<decide::Condition> not_seen(const Demand& demand);

}  // namespace tactus::deploy
