#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/baseline.hpp"
#include "tactus/report/text/percent.hpp"

/// What continuous integration asks of an analysis beyond its verdict: `--min-slack`, `--baseline`;
/// and everything that is wrong, as a list that other tools can show at its place in the file.
namespace tactus {
namespace report {

struct Finding {
  /// In the order of `kRules`.
  enum class Rule { kFile, kDeadline, kUnknown, kMinSlack, kWorse };

  Rule rule = Rule::kFile;
  std::string method, variant, task;  ///< empty where it is of none in particular
  std::string message;
  Position at;
};

struct RuleText {
  std::string_view id, what;
};
inline constexpr RuleText kRules[] = {
    {"system-file", "The system file can be read and makes sense"},
    {"deadline", "Every deadline is proved"},
    {"no-verdict", "The method covers the system and comes to an answer"},
    {"min-slack", "Every task keeps the part of its deadline that --min-slack asks for"},
    {"baseline", "Nothing is worse than in the analysis of --baseline"},
};

struct Checks {
  std::optional<Percent> min_slack;
  std::optional<Comparison> comparison;
  std::vector<Finding> findings;  ///< of the verdicts that count

  /// Is something wrong that the verdict itself does not say?
  bool failed() const;
};

struct Analysis;

/// The verdicts that decide: that of the deployed method; those of all named methods; or, where any
/// proof will do, the best one.
std::vector<const Verdict*> counting_verdicts(const Analysis& analysis);

/// Judges the verdicts that count.
Checks judge(const System& system, std::span<const Verdict* const> counting,
             std::optional<Percent> min_slack, std::optional<Comparison> comparison);

/// What is wrong with a file that cannot be analysed.
std::vector<Finding> findings_of(std::span<const Diagnostic> diagnostics);

}  // namespace report

/// What `--min-slack` asked for.
template <>
std::span<const Field<report::Checks>> fields<report::Checks>();

}  // namespace tactus
