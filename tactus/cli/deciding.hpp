#pragma once

#include "tactus/cli/verb.hpp"

/// The verbs that help to decide (docs/use/deciding.md).
namespace tactus::cli {

void add_slack(CLI::App& app, int& exit_code);
void add_advise(CLI::App& app, int& exit_code);

}  // namespace tactus::cli
