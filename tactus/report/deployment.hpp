#pragma once

#include <string>
#include <vector>

#include "tactus/deploy/files.hpp"
#include "tactus/report/terminal.hpp"

namespace tactus::report {

/// What was written to start a plan, for people and for programs.
std::string deployment_text(const deploy::Launch& launch, const std::string& folder,
                            const std::vector<deploy::File>& files, const Style& style);
std::string deployment_json(const deploy::Launch& launch, const std::string& folder,
                            const std::vector<deploy::File>& files);

}  // namespace tactus::report
