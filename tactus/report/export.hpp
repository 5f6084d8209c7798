#pragma once

#include <string>
#include <string_view>

#include "tactus/exchange/export.hpp"

namespace tactus::report {

/// A system in another format, as JSON: its text, that of the edges where it has them, and notes.
std::string export_json(const exchange::Exported& exported, std::string_view format);

}  // namespace tactus::report
