#pragma once

#include <string>
#include <string_view>

#include "tactus/report/text/table.hpp"

namespace tactus::report {

/// A table with many columns as several tables below each other, each as wide as the style allows.
/// The first `kept` columns are in all of them.
std::string in_parts(const Table& table, std::size_t kept, const Style& style,
                     std::string_view indent);

}  // namespace tactus::report
