#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tactus/report/checks.hpp"

namespace tactus::report {

/// Findings about a file as SARIF 2.1.0, which code hosts show at the line.
std::string sarif(std::span<const Finding> findings, std::string_view file,
                  std::string_view version);

}  // namespace tactus::report
