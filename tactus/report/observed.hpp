#pragma once

#include <string>

#include "tactus/report/text/terminal.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::report {

/// To three decimals of the unit: a measurement is not more precise.
std::string measured_time(Time time, TimeUnit unit);

/// The tasks of a run, each beside its bound and its deadline; with as much about their spread as
/// the producer of the run knows.
std::string observed_tasks_text(const System& system, const trace::Observed& observed,
                                const Style& style);

/// The chains of a run beside their bounds; empty where there are none.
std::string observed_chains_text(const System& system, const trace::Observed& observed,
                                 const Style& style);

/// Every task and every chain that took longer than its bound, a line each.
std::string violations_text(const System& system, const trace::Observed& observed,
                            const Style& style);

}  // namespace tactus::report
