#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus::report {

/// One line of CSV (RFC 4180): fields are quoted where they must be.
std::string csv_line(const std::vector<std::string_view>& fields);

}  // namespace tactus::report
