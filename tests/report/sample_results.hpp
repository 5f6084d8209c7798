#pragma once

#include "tactus/experiment/results/results.hpp"

namespace tactus::report {

/// Two lines in two variants over three points, with numbers made up.
experiment::Results sample_results();

/// The same lines and one more for every method given.
experiment::Results sample_results(std::vector<std::string> methods, std::size_t cases);

}  // namespace tactus::report
