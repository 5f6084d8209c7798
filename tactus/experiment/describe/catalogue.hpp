#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tactus/experiment/describe/experiment.hpp"

namespace tactus::experiment {

/// An experiment and the text it was read from.
struct FoundExperiment {
  Experiment experiment;
  std::string file;
};

/// The experiments that a name means: bundled ones (wildcards allowed), or a file if it looks like
/// one (it has a slash or ends in .json). Else complaints, one line each.
std::variant<std::vector<FoundExperiment>, std::vector<std::string>> find_experiments(
    const std::string& name);

}  // namespace tactus::experiment
