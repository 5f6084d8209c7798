#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/text/terminal.hpp"

/// What became worse since an earlier `analyze --json`, method by method and task by task.
namespace tactus {
namespace report {

/// As much of an earlier document as is compared.
struct Baseline {
  struct OfTask {
    std::string name;
    std::optional<Time> bound, deadline;
    bool proved = false;
  };
  struct OfMethod {
    std::string method, variant, status;
    std::vector<OfTask> tasks;
    std::vector<OfTask> chains;  ///< proved: they hold; without deadlines
  };
  std::string system;
  bool unit_is_stated = false;  ///< documents of earlier releases do not say it
  std::vector<OfMethod> methods;
};

/// Reads the text of such a document; `name` is its file in messages. Times without a unit are in
/// `unit`.
Result<Baseline> read_baseline(std::string text, std::string_view name, TimeUnit unit);

struct Difference {
  enum class Kind { kWorse, kBetter, kNew, kGone };
  enum class What { kAll, kVerdict, kBound, kSlack };

  Kind kind = Kind::kWorse;
  std::string method, variant;  ///< empty: of a task under every method
  std::string task;             ///< empty: of a method as a whole
  What what = What::kAll;
  std::string was, now;  ///< a status, a time in the unit of the system, or percent
  bool counts = false;   ///< of a verdict that decides about `Comparison::worse`
};

struct Comparison {
  std::string file;
  std::vector<Difference> differences;  ///< what is worse first
  bool worse = false;                   ///< under a verdict that counts
};

/// Compares `verdicts` with an earlier document.
/// @param counting those of the verdicts that decide about `worse`
/// @param all were all methods asked? Otherwise those that are not there were left out, not lost.
Comparison compare(const Baseline& baseline, std::string file, const System& system,
                   std::span<const Verdict> verdicts, std::span<const Verdict* const> counting,
                   bool all);

std::string comparison_text(const Comparison& comparison, const System& system, const Style& style);

}  // namespace report

template <>
std::span<const Field<report::Comparison>> fields<report::Comparison>();

}  // namespace tactus
