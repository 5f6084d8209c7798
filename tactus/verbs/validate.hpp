#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/report/validation.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::verbs {

/// Is any run longer than its bound?
struct ValidateQuestion {
  MethodChoice choice;
  std::vector<Document> files;  ///< instead of random systems
  std::uint64_t count = 1000, runs = 10, seed = 1;
  std::uint32_t jobs = 20;
  std::string duration;  ///< or so long; empty: by jobs
  std::string recipe;    ///< of the systems; empty: that of each method
  Assignments set;       ///< of the recipe
  std::string search = "random";
  bool late_completions = false;  ///< the arbiter sees them late, as far as its costs allow
  std::uint64_t limit = 100;      ///< violations that are listed, per method
  // Not for who asks: where violations are written, for the report.
  std::string folder;
};
void describe(ValidateQuestion& question, Fields& is);

struct Validated {
  report::Validation validation;
  bool interrupted = false;

  Exit exit() const;
  std::string json() const { return report::validation_json(validation); }
};

/// Methods that were left out are told.
Answer<Validated> answer(const ValidateQuestion& question, const Companion& companion);

}  // namespace tactus::verbs
