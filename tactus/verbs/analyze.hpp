#pragma once

#include <optional>
#include <string>

#include "tactus/decide/edit.hpp"
#include "tactus/decide/slack.hpp"
#include "tactus/decide/standing.hpp"
#include "tactus/methods/deploy.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/verbs/methods.hpp"

namespace tactus::verbs {

struct AnalyzeRequest {
  Methods methods;
  bool named = false;          ///< did the caller name methods? Then they judge ...
  bool all = false;            ///< ... unless "all" were named: then one proof is enough
  Options options;             ///< with `threads`, several methods at a time
  bool variant_given = false;  ///< else variants that tactus runs are looked at, too
  bool growth = true;          ///< say how far single times may grow, where that is cheap
};

/// What the methods say, and whose answer counts.
struct Analyzed {
  std::vector<Question> questions;  ///< first one per method of the request, in their order
  std::vector<Verdict> verdicts;    ///< one per question
  std::size_t asked = 0;            ///< how many methods the request has
  report::JudgedBy by = report::JudgedBy::kNamed;
  std::optional<Deployed> deployed;
  std::vector<decide::Standing> standings;  ///< the best first
  std::vector<decide::Growth> growth;       ///< of single times, under the method that counts

  /// The question that counts: about what the file deploys, else the one with the best answer.
  std::size_t place_of_best() const;
  /// For the reports. @pre this, the system and the words live as long.
  /// @param words of a command that goes on with this system, if they are known
  report::Analysis of(const decide::Edited& edited, std::string_view words = {}) const;
};

/// @param file what the system is called in messages
Answer<Analyzed> analyze(const System& system, const std::string& file,
                         const AnalyzeRequest& request);

}  // namespace tactus::verbs
