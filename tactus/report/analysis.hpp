#pragma once

#include <span>
#include <string>

#include "tactus/methods/method.hpp"
#include "tactus/report/terminal.hpp"

/// The answers of several methods about one system, in the forms people and programs read.
namespace tactus::report {

struct Analysis {
  const System& system;
  std::span<const Method* const> methods;
  std::span<const Verdict> verdicts;  ///< one a method
};

/// For a person: one block per method, then how the methods compare.
std::string analysis_text(const Analysis& analysis, const Style& style);

/// The terms of one task's bound under every method, to be checked by hand.
std::string explanation_text(const Analysis& analysis, TaskIndex task, const Style& style);

/// The stable JSON of docs/use/cli.md.
std::string analysis_json(const Analysis& analysis);

/// One line a task and method.
std::string analysis_csv(const Analysis& analysis);

/// "GPU preemption by camera": how a term is named in all of them.
std::string term_name(const Term& term, const System& system);

/// The window R that the terms of an unmet deadline add up to; zero without terms.
Time total(std::span<const Term> terms);

}  // namespace tactus::report
