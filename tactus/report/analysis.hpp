#pragma once

#include <optional>
#include <span>
#include <string>

#include "tactus/decide/edit.hpp"
#include "tactus/decide/slack.hpp"
#include "tactus/decide/standing.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/report/text/terminal.hpp"

/// The answers of several methods about one system, in the forms people and programs read.
namespace tactus::report {

struct Checks;

/// Whose answer counts, and so decides the exit code.
enum class JudgedBy {
  kNamed,     ///< every method that the caller named
  kAny,       ///< no method was named: one proof is enough
  kDeployed,  ///< the method that the file deploys; the others are shown for comparison
};

struct Analysis {
  const System& system;
  std::span<const Question> questions;
  std::span<const Verdict> verdicts;  ///< one per question
  JudgedBy judged_by = JudgedBy::kNamed;
  std::size_t deployed = 0;                      ///< its place among the questions
  std::span<const decide::Change> changes = {};  ///< what the system differs in from its file
  const Checks* checks = nullptr;                ///< what else was asked; null: nothing
  /// The questions that the caller asked; those behind them are about the same methods, in the
  /// variants that tactus runs.
  std::size_t asked = 0;
  std::span<const decide::Standing> standings = {};  ///< of all verdicts, the best first
  /// How far the times of single nodes may grow under the best one, task by task; empty where that
  /// is neither exact nor cheap.
  std::span<const decide::Growth> growth = {};
  /// The file and the changes as words for another command: "robot.system.json --set gpu.units=8".
  std::string_view words = {};
  bool all = false;  ///< of the first screen: every method, not only what the answer rests on

  const Method& method(std::size_t place) const { return *questions[place].method; }
  std::span<const Verdict> asked_verdicts() const { return verdicts.first(asked); }
  std::span<const Verdict> deployable_verdicts() const { return verdicts.subspan(asked); }
  /// The one that the answer is about: what the file deploys, else the best.
  const decide::Standing& best() const;
  /// Does it belong on the first screen? What was named, what counts, and what runs here; where
  /// nothing does, what comes closest.
  bool is_shown(const decide::Standing& standing) const;
};

/// The answer that counts: schedulable, unschedulable, or neither.
Status judgement(const Analysis& analysis);

/// For a person: the answer, then one block per method, then how the methods compare.
std::string details_text(const Analysis& analysis, const Style& style);

/// The terms of one task's bound, to be checked by hand: under the method that counts, or under all
/// that were named.
std::string explanation_text(const Analysis& analysis, TaskIndex task, const Style& style);

/// The stable JSON of docs/use/cli.md.
std::string analysis_json(const Analysis& analysis);

/// One line per task and method.
std::string analysis_csv(const Analysis& analysis);

/// "GPU preemption by camera": how a term is named in all of them.
std::string term_name(const Term& term, const System& system);

/// The window R that the terms of an unmet deadline add up to; zero without terms.
Time total(std::span<const Term> terms);

/// "camera needs 63.86 > 33.3: time slices of others 48.96, ...": why a task has no bound, or why a
/// method does not prove every deadline, in words.
std::string why_no_bound(const TaskVerdict& task, const System& system);
std::string why_not_proved(const Verdict& verdict, const System& system);

/// "own GPU work 12.8, GPU preemption by camera 9": the largest terms, most first.
std::string largest_terms(const TaskVerdict& task, const System& system);

/// "job 1 of t2 ends at 11, its deadline is 10".
std::string missed_text(const MissedJob& missed, const System& system);

/// "8.3 %", of thousandths; "58 %", without decimals from 10 % on. Rounded down.
std::string percent_text(std::int64_t permille);

/// "bound [ms]"; without brackets where the file has no unit.
std::string with_unit(std::string_view title, const System& system);

}  // namespace tactus::report
