#pragma once

#include <string>
#include <vector>

#include "tactus/deploy/checkup.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus::report {

/// What was found on a machine; and, with a plan, what the judge says of its start there.
struct Checkup {
  const deploy::Demand& demand;
  const std::vector<deploy::Check>& checks;
  std::vector<decide::Condition> conditions = {};  ///< all of them, those of the machine too
  std::vector<decide::Condition> waived = {};
};

/// For people and for programs.
std::string checkup_text(const Checkup& checkup, const Style& style);
std::string checkup_json(const Checkup& checkup);

}  // namespace tactus::report
