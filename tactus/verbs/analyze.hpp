#pragma once

#include <optional>
#include <string>

#include "tactus/decide/edit.hpp"
#include "tactus/methods/deploy.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/verbs/methods.hpp"

namespace tactus::verbs {

struct AnalyzeRequest {
  Methods methods;
  bool named = false;  ///< did the caller name methods? Then they judge ...
  bool all = false;    ///< ... unless "all" were named: then one proof is enough
  Options options;     ///< with `threads`, several methods at a time
};

/// What the methods say, and whose answer counts.
struct Analyzed {
  Methods methods;
  std::vector<Verdict> verdicts;  ///< one per method, in their order
  report::JudgedBy by = report::JudgedBy::kNamed;
  std::optional<Deployed> deployed;

  /// For the reports. @pre this and the system live as long.
  report::Analysis of(const decide::Edited& edited) const;
};

/// @param file what the system is called in messages
Answer<Analyzed> analyze(const System& system, const std::string& file,
                         const AnalyzeRequest& request);

}  // namespace tactus::verbs
