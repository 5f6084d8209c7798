#pragma once

#include <optional>
#include <string>

#include "tactus/decide/slack.hpp"
#include "tactus/decide/standing.hpp"
#include "tactus/methods/deploy.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::verbs {

/// Does every deadline hold, and by which method?
struct AnalyzeQuestion {
  About about;
  MethodChoice choice;
  std::string explain;  ///< a task; empty: none
  // Not for who asks: what costs time and is not shown.
  bool growth = true;  ///< say how far single times may grow, where that is cheap
  bool terms = true;
};
void describe(AnalyzeQuestion& question, Fields& is);
void describe_without_system(AnalyzeQuestion& question, Fields& is);

/// What the methods say, and whose answer counts.
struct Analyzed {
  decide::Edited edited;
  std::optional<TaskIndex> explained;
  std::vector<Question> questions;  ///< first one per method of the request, in their order
  std::vector<Verdict> verdicts;    ///< one per question
  std::size_t asked = 0;            ///< how many methods the request has
  report::JudgedBy by = report::JudgedBy::kNamed;
  std::optional<Deployed> deployed;
  std::vector<decide::Standing> standings;  ///< the best first
  std::vector<decide::Growth> growth;       ///< of single times, under the method that counts

  /// The question that counts: about what the file deploys, else the one with the best answer.
  std::size_t place_of_best() const;
  /// For the reports. @pre this and the words live as long.
  /// @param words of a command that goes on with this system, if they are known
  report::Analysis of(std::string_view words = {}) const;
  Exit exit() const;
  std::string json() const;
};

Answer<Analyzed> answer(const AnalyzeQuestion& question, const Companion& companion);
/// The same about a system that has been read.
Answer<Analyzed> analyze(decide::Edited edited, const std::string& file,
                         const AnalyzeQuestion& question, const Companion& companion);

}  // namespace tactus::verbs
