#pragma once

#include <string>

#include "tactus/exchange/import.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus::report {

/// What an import found: a table of the tasks, and with `notes` everything that was assumed and left
/// out.
std::string import_text(const exchange::Imported& imported, const std::string& source, bool notes,
                        const Style& style);

/// The same as JSON; with `system` the system is in it.
std::string import_json(const exchange::Imported& imported, const std::string& source,
                        bool system = false);

}  // namespace tactus::report
