#pragma once

#include <optional>
#include <string>

#include "tactus/base/question.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/checks.hpp"
#include "tactus/verbs/answer.hpp"

namespace tactus::cli {

/// What `analyze` offers continuous integration: `--min-slack`, `--baseline`, `--junit`, `--sarif`.
class CheckOptions {
 public:
  friend void describe(CheckOptions& options, Fields& is);

  bool given() const {
    return !(min_slack_text_.empty() && !baseline_file_.given() && junit_file_.empty() &&
             sarif_file_.empty());
  }
  /// Do the values make sense, whatever the system? False after a complaint.
  bool valid();
  /// Reads the baseline, if there is one; false after a complaint.
  bool read_baseline(const System& system);
  /// Of a file that cannot be analysed: the reports say so too. False if one cannot be written.
  bool report_bad_file(const verbs::NoAnswer& none, const std::string& name) const;

  /// @param all were all methods asked?
  report::Checks judge(const report::Analysis& analysis, bool all) const;
  /// Writes the reports and tells on standard error what is below `--min-slack`; what the process
  /// returns, where the analysis alone would return `exit_code`.
  int conclude(const report::Analysis& analysis, const report::Checks& checks,
               const std::string& file, int exit_code) const;

 private:
  std::string min_slack_text_, junit_file_, sarif_file_;
  Document baseline_file_;
  std::optional<report::Percent> min_slack_;
  std::optional<report::Baseline> baseline_;
};

}  // namespace tactus::cli
