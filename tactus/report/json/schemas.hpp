#pragma once

#include <string>

/// JSON Schemas of the documents that verbs print; `tactus schema` prints them, docs/ has copies.
namespace tactus::report {

std::string verdict_schema();      ///< of `analyze --json`
std::string explanation_schema();  ///< of `analyze --explain TASK --json`
std::string slack_schema();        ///< of `slack --json`
std::string advice_schema();       ///< of `advise --json`
std::string plan_schema();         ///< of `plan -o` and `plan --json`

}  // namespace tactus::report
