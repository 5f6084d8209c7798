#pragma once

#include <string>

#include "tactus/report/terminal.hpp"
#include "tactus/runtime/report.hpp"

namespace tactus::report {

/// What a run of a plan showed, beside what was planned.
struct Run {
  const System& system;
  std::string_view method, variant;
  const runtime::RunReport& report;
};

std::string run_text(const Run& run, const Style& style);
std::string run_json(const Run& run);

}  // namespace tactus::report
