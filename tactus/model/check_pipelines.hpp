#pragma once

#include "tactus/model/read_context.hpp"
#include "tactus/model/system.hpp"

/// The rules of tasks that start tasks (`after`) and of chains.
namespace tactus {

/// Finds whom each `after` names, and gives a task that another one starts the period of the first
/// task of its path.
void connect_tasks(const Origin& origin, ReadContext& context, System& system);

/// @pre connect_tasks
void check_chains(const Origin& origin, ReadContext& context, const System& system);

}  // namespace tactus
