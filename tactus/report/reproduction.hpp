#pragma once

#include <string>
#include <vector>

#include "tactus/experiment/results/results.hpp"
#include "tactus/experiment/store/runs.hpp"

namespace tactus::report {

/// A page in Markdown: how the results were made, and experiment by experiment the figure beside
/// the paper's numbers, with the reason for every deviation. Figures are `<images>/<name>.svg`,
/// where `images` is a path relative to the page; an empty one leaves them out. `preface` is
/// Markdown that comes before the results; may be empty.
std::string reproduction_page(const std::vector<experiment::Results>& all,
                              const experiment::RunHistory& history, const std::string& images,
                              const std::string& preface);

}  // namespace tactus::report
