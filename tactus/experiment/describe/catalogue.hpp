#pragma once

#include <string>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/experiment/describe/experiment.hpp"

namespace tactus::experiment {

/// An experiment and the text it was read from.
struct FoundExperiment {
  Experiment experiment;
  std::string file;
};

/// The experiments that a name means: bundled ones (wildcards allowed), or a file if it looks like
/// one (it has a slash or ends in .json). Or all that is wrong.
Result<std::vector<FoundExperiment>, std::vector<Error>> find_experiments(const std::string& name);

}  // namespace tactus::experiment
