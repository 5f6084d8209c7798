#pragma once

#include <string>

#include "tactus/arbiter/tiers/tier_survey.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus::report {

std::string tiers_text(const arbiter::tiers::TierSurvey& survey, const Style& style);
std::string tiers_json(const arbiter::tiers::TierSurvey& survey);

}  // namespace tactus::report
