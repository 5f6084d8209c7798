#pragma once

#include <string>
#include <vector>

#include "tactus/experiment/results/paired.hpp"
#include "tactus/report/text/terminal.hpp"

/// Comparisons of two curves on the same sets, with McNemar's test.
namespace tactus::report {

std::string paired_text(const experiment::Comparison& comparison, const Style& style);
std::string paired_csv(const std::vector<experiment::Comparison>& all);
std::string paired_json(const std::vector<experiment::Comparison>& all);

}  // namespace tactus::report
