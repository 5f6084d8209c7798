#pragma once

#include <optional>
#include <string>

#include "tactus/base/json_writer.hpp"
#include "tactus/model/system.hpp"
#include "tactus/report/text/terminal.hpp"

/// Where the times of a file come from, as far as it says so: a bound that rests on a measurement is
/// as good as that is.
namespace tactus::report {

/// One line per node with `measured`, of one task or of all; a warning where its `wcet` is below what
/// was seen. Empty where nothing was measured.
std::string measured_text(const System& system, std::optional<TaskIndex> task, const Style& style);

/// The same as a JSON array.
void write_measured(json::Writer& out, const System& system);

}  // namespace tactus::report
