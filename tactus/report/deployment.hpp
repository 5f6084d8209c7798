#pragma once

#include <string>
#include <vector>

#include "tactus/deploy/files.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus::report {

/// What was written to start a plan, for people and for programs.
std::string deployment_text(const deploy::Launch& launch, const std::string& folder,
                            const std::vector<deploy::File>& files, const Style& style);
/// @param folder none: nothing was written @param conditions all that the judge was asked
std::string deployment_json(const deploy::Launch& launch, const std::optional<std::string>& folder,
                            const std::vector<deploy::File>& files,
                            const std::vector<decide::Condition>& conditions);

}  // namespace tactus::report
