#pragma once

#include <string>
#include <vector>

#include "tactus/methods/verdict.hpp"

namespace tactus::decide {

/// A best-effort task for which a plan leaves nothing.
struct NeverRun {
  TaskIndex task = 0;
  std::string why;  ///< "the plan leaves no SMs"
};

/// Those that never run beside this plan, on the platform of the file.
std::vector<NeverRun> never_run(const System& system, const Verdict& plan);

/// "best-effort task `mapping` never runs beside this plan: it leaves no SMs"
std::string to_string(const NeverRun& one, const System& system);

}  // namespace tactus::decide
