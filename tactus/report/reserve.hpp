#pragma once

#include <span>
#include <string>

#include "tactus/decide/edit.hpp"
#include "tactus/report/text/terminal.hpp"
#include "tactus/reserve/dry_run.hpp"

/// Answers to requests for reservations (docs/use/reservations.md).
namespace tactus::report {

/// A line per request, and a table of those that would have a reservation.
std::string reserve_text(const System& system, const reserve::DryRun& run, const Style& style);

std::string reserve_json(const System& system, const reserve::DryRun& run,
                         std::span<const decide::Change> changes);

}  // namespace tactus::report
