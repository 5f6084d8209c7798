#pragma once

#include <span>
#include <string>

#include "tactus/decide/edit.hpp"
#include "tactus/report/text/terminal.hpp"
#include "tactus/runtime/measure/measure_nodes.hpp"

/// How long nodes took, beside what, for people and for programs.
namespace tactus::report {

/// One table per node: each width, its worst neighbours first; then what the numbers rest on.
std::string measurement_text(const runtime::MeasuredNodes& measured,
                             const runtime::MeasureOptions& options, const Style& style);

/// @param samples  every single time, too
std::string measurement_json(const runtime::MeasuredNodes& measured,
                             const runtime::MeasureOptions& options, bool samples,
                             std::span<const decide::Change> changes = {});

}  // namespace tactus::report
