#pragma once

#include <optional>
#include <vector>

#include "tactus/methods/verdict.hpp"
#include "tactus/simulate/engine.hpp"

namespace tactus::simulate {

/// A task seen to take longer than was proved.
struct Violation {
  TaskIndex task = 0;
  Time observed, bound;
};

/// Does the verdict promise anything? Bounds that hold only together need a schedulable system.
bool promises(const Verdict& verdict);

/// The bound that the verdict promises for a task, if it does.
std::optional<Time> promised_bound(const Verdict& verdict, TaskIndex task);

/// Every task whose observed response exceeds what the verdict promises.
std::vector<Violation> violations(const Verdict& verdict, const Outcome& outcome);

}  // namespace tactus::simulate
