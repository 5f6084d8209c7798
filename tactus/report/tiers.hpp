#pragma once

#include <string>

#include "tactus/report/terminal.hpp"
#include "tactus/runtime/arbiter/gpu/tier_survey.hpp"

namespace tactus::report {

std::string tiers_text(const arbiter::TierSurvey& survey, const Style& style);
std::string tiers_json(const arbiter::TierSurvey& survey);

}  // namespace tactus::report
