#pragma once

#include <string>
#include <vector>

#include "tactus/deploy/checkup.hpp"
#include "tactus/report/terminal.hpp"

namespace tactus::report {

/// What was found on a machine, for people and for programs.
std::string checkup_text(const deploy::Demand& demand, const std::vector<deploy::Check>& checks,
                         const Style& style);
std::string checkup_json(const deploy::Demand& demand, const std::vector<deploy::Check>& checks);

}  // namespace tactus::report
