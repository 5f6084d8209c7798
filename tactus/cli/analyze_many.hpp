#pragma once

#include <string>
#include <vector>

#include "tactus/cli/given_systems.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/what_if.hpp"

namespace tactus::cli {

/// `analyze` of several files, or of files with several systems; what the process returns.
int analyze_many(const std::vector<FileText>& files, const MethodOptions& choice,
                 const WhatIf& what_if, bool json, bool csv);

}  // namespace tactus::cli
