#pragma once

#include <span>
#include <string>

#include "tactus/decide/edit.hpp"
#include "tactus/decide/slack.hpp"
#include "tactus/report/text/terminal.hpp"

/// How much room there is, for people and for programs.
namespace tactus::report {

/// Within 80 columns: all times together, then each knob with the task that breaks first. Values are
/// rounded to the safe side.
std::string slack_text(const System& system, const decide::Slack& slack, std::string_view why,
                       const Style& style);

/// Everything exact (docs/use/deciding.md).
std::string slack_json(const System& system, const decide::Slack& slack,
                       std::span<const decide::Change> changes);

/// One line per knob.
std::string slack_csv(const System& system, const decide::Slack& slack);

/// "by 11.3 %", from one value to another; empty where there is nothing to compare with.
std::string share_text(std::int64_t from, std::int64_t to);

}  // namespace tactus::report
