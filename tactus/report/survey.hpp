#pragma once

#include <span>
#include <string>
#include <vector>

#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"
#include "tactus/report/text/terminal.hpp"

/// What methods say about many systems.
namespace tactus::report {

struct Surveyed {
  std::string place;  ///< "own/a.system.json", or "own.jsonl:7" for a line
  System system;
  std::vector<Verdict> verdicts;  ///< the same methods for every system
};

/// One line per method: how many systems it proves, and how many not.
std::string survey_text(std::span<const Surveyed> all, const Style& style);
/// The lines of `analysis_csv`, with the place in front.
std::string survey_csv(std::span<const Surveyed> all);
std::string survey_json(std::span<const Surveyed> all);

}  // namespace tactus::report
