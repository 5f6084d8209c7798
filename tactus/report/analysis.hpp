#pragma once

#include <span>
#include <string>

#include "tactus/decide/edit.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/report/terminal.hpp"

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
  std::span<const Method* const> methods;
  std::span<const Verdict> verdicts;  ///< one per method
  JudgedBy judged_by = JudgedBy::kNamed;
  std::size_t deployed = 0;                      ///< its place among the methods
  std::span<const decide::Change> changes = {};  ///< what the system differs in from its file
  const Checks* checks = nullptr;                ///< what else was asked; null: nothing
};

/// The answer that counts: schedulable, unschedulable, or neither.
Status judgement(const Analysis& analysis);

/// For a person: one block per method, then how the methods compare.
std::string analysis_text(const Analysis& analysis, const Style& style);

/// The terms of one task's bound under every method, to be checked by hand.
std::string explanation_text(const Analysis& analysis, TaskIndex task, const Style& style);

/// The stable JSON of docs/use/cli.md.
std::string analysis_json(const Analysis& analysis);

/// One line per task and method.
std::string analysis_csv(const Analysis& analysis);

/// "GPU preemption by camera": how a term is named in all of them.
std::string term_name(const Term& term, const System& system);

/// The window R that the terms of an unmet deadline add up to; zero without terms.
Time total(std::span<const Term> terms);

}  // namespace tactus::report
