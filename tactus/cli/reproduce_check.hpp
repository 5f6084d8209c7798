#pragma once

#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "tactus/experiment/work/run_experiment.hpp"

namespace tactus::cli {

/// `reproduce --check`: runs the experiments with the few sets that their files name under `check`,
/// in a folder that is removed afterwards, and prints one line per experiment. The sets do not
/// depend on the machine, so the answer does not either. Returns the exit code: 1 if a claim is
/// outside that is neither explained nor known to be open.
int check_experiments(const std::vector<experiment::Wanted>& wanted,
                      const experiment::RunContext& context, const std::stop_token& stop,
                      const std::function<void(std::string_view)>& progress);

}  // namespace tactus::cli
