#pragma once

#include <string>

#include "tactus/report/text/terminal.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::report {

/// What a run of a file's tasks as processes showed.
std::string task_run_text(const System& system, const trace::Observed& observed,
                          const Style& style);

}  // namespace tactus::report
