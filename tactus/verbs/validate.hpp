#pragma once

#include <string>

#include "tactus/report/validation.hpp"
#include "tactus/verbs/generate.hpp"
#include "tactus/verbs/methods.hpp"

namespace tactus::verbs {

struct ValidateRequest {
  Methods methods;
  bool all = false;  ///< what cannot be validated is then left out without a word
  Options options;
  std::uint64_t systems = 1000, runs = 10, seed = 1;
  std::uint32_t jobs = 20;
  std::string duration = {};       ///< or so long; empty: by jobs
  std::string recipe = {};         ///< of the systems; empty: that of each method
  Generator::Given settings = {};  ///< of the recipe
  /// Instead of a recipe: these systems, and what each is called in the report.
  std::vector<System> given = {};
  std::vector<std::string> places = {};
  std::string search = "random";   ///< random|climb|offsets
  bool late_completions = false;   ///< the arbiter sees them late, as far as its costs allow
  std::string folder = {};         ///< for the report: where violations are written
  std::size_t most_catches = 100;  ///< violations that are listed, per method
};

struct Validated {
  report::Validation validation;
  std::vector<Problem> told;  ///< about methods that were left out
  bool interrupted = false;

  Exit exit() const;
};

Answer<Validated> validate(const ValidateRequest& request);

}  // namespace tactus::verbs
