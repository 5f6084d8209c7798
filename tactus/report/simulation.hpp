#pragma once

#include <string>

#include "tactus/methods/verdict.hpp"
#include "tactus/report/terminal.hpp"
#include "tactus/simulate/engine.hpp"

namespace tactus::report {

/// What a run showed, beside what was proved.
struct Simulation {
  const System& system;
  const Verdict& verdict;
  const simulate::Scenario& scenario;
  const simulate::Outcome& outcome;
};

std::string simulation_text(const Simulation& simulation, const Style& style);
std::string simulation_json(const Simulation& simulation);

/// The beginning of a trace as a chart: a row for each unit that was used.
std::string trace_gantt(const Trace& trace, const System& system, Time until, const Style& style);

}  // namespace tactus::report
