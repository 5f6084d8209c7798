#pragma once

#include <string>

#include "tactus/report/text/terminal.hpp"
#include "tactus/trace/excerpt.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::report {

/// What a simulated run showed, beside what was proved.
std::string simulation_text(const System& system, const trace::Observed& observed,
                            const Style& style);

/// A stretch of a trace as a chart: a row for each unit that was used.
std::string trace_gantt(const trace::Trace& trace, const System& system, trace::Window window,
                        const Style& style);

}  // namespace tactus::report
