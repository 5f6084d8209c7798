#pragma once

#include <string>

/// JSON Schemas of the documents that verbs print, each made of the tables that it is written by;
/// `tactus schema` prints them.
namespace tactus::report {

std::string verdict_schema();       ///< of `analyze --json`
std::string explanation_schema();   ///< of `analyze --explain TASK --json`
std::string slack_schema();         ///< of `slack --json`
std::string sweep_schema();         ///< of `slack --sweep --json`
std::string advice_schema();        ///< of `advise --json`
std::string deployment_schema();    ///< of `deploy --json`
std::string checkup_schema();       ///< of `doctor --json`
std::string reservations_schema();  ///< of `reserve --json`
std::string measurement_schema();   ///< of `measure --json`
std::string watched_schema();       ///< of `watch --json`
std::string arbiter_schema();       ///< of `top --json`
std::string validation_schema();    ///< of `validate --json`

}  // namespace tactus::report
