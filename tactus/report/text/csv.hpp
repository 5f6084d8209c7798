#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus::report {

/// One line of CSV (RFC 4180): fields are quoted if they must be. A text that a spreadsheet would
/// read as a formula (it begins with = + - @ and is no number) gets a ' in front.
std::string csv_line(const std::vector<std::string_view>& fields);

}  // namespace tactus::report
