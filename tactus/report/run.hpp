#pragma once

#include <string>

#include "tactus/report/text/terminal.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::report {

/// What a run of a plan showed, beside what was planned.
std::string run_text(const System& system, const trace::Observed& observed, const Style& style);

}  // namespace tactus::report
