#include "tactus/cli/check_options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/ci/junit.hpp"
#include "tactus/report/ci/sarif.hpp"
#include "tactus/tactus.h"

namespace tactus::cli {
namespace {

/// What a number without a percent sign most likely means: 20 is 20%, and 0.05 is 5%.
std::string percent_of(std::string_view number) {
  if (!number.starts_with("0.") || number.size() < 3) return std::string(number) + '%';
  std::string digits(number.substr(2));
  digits.resize(std::max(digits.size(), std::size_t{2}), '0');
  if (digits.size() > 2) digits.insert(2, 1, '.');
  const std::size_t leading = std::min(digits.find_first_not_of('0'), digits.size());
  const bool point = leading < digits.size() && digits[leading] == '.';
  digits.erase(0, point || leading == digits.size() ? leading - 1 : leading);
  return digits + '%';
}

bool shares_a_task(const report::Baseline& baseline, const System& system) {
  return std::any_of(baseline.methods.begin(), baseline.methods.end(), [&](const auto& method) {
    return std::any_of(method.tasks.begin(), method.tasks.end(), [&](const auto& old) {
      return std::any_of(system.tasks.begin(), system.tasks.end(),
                         [&](const Task& task) { return task.name == old.name; });
    });
  });
}

}  // namespace

void describe(CheckOptions& options, Fields& is) {
  constexpr std::string_view kGroup = "For continuous integration";
  is("min_slack", options.min_slack_text_,
     "Exit with 1 unless every task keeps this part of its deadline, such as 20%")
      .shows("PERCENT")
      .group(kGroup);
  is("baseline", options.baseline_file_,
     "Compare with an earlier --json; exit with 1 if a verdict, bound or slack is worse")
      .shows("FILE")
      .group(kGroup);
  is("junit", options.junit_file_, "Also write the verdicts that count as JUnit XML")
      .shows("FILE")
      .group(kGroup);
  is("sarif", options.sarif_file_, "Also write what is wrong, and where, as SARIF 2.1.0")
      .shows("FILE")
      .group(kGroup);
}

bool CheckOptions::valid() {
  for (const auto& [option, file] :
       {std::pair("--junit", &junit_file_), std::pair("--sarif", &sarif_file_)}) {
    if (*file != "-") continue;
    complain(fmt::format("tactus: {} needs the name of a file", option));
    return false;
  }
  if (min_slack_text_.empty()) return true;
  min_slack_ = report::parse_percent(min_slack_text_);
  if (min_slack_) return true;
  const std::string meant = percent_of(min_slack_text_);
  complain(fmt::format("tactus: --min-slack must be from 0% to 100% of the deadline, got {}{}",
                       quote(min_slack_text_),
                       report::parse_percent(meant)
                           ? fmt::format("; did you mean {}?", quote(meant))
                           : std::string()));
  return false;
}

bool CheckOptions::read_baseline(const System& system) {
  if (!baseline_file_.given()) return true;
  const std::string& name = baseline_file_.name;
  if (baseline_file_.problem) {
    complain("tactus: " + baseline_file_.problem->message);
    return false;
  }
  auto baseline = report::read_baseline(baseline_file_.text, name, system.time_unit);
  if (!baseline) {
    complain_of(baseline.error());
    return false;
  }
  if (!shares_a_task(*baseline, system)) {
    complain(fmt::format("{}: has no task of this system; it is an analysis of {}", name,
                         quote(baseline->system)));
    return false;
  }
  if (baseline->system != system.name) {
    note(fmt::format("tactus: note: {} is of the system {}, this is {}", name,
                     quote(baseline->system), quote(system.name)));
  }
  if (!baseline->unit_is_stated) {
    note(fmt::format("tactus: note: {} does not say its time unit; taken as that of the file",
                     name));
  }
  baseline_ = std::move(*baseline);
  return true;
}

bool CheckOptions::report_bad_file(const verbs::NoAnswer& none, const std::string& name) const {
  if (junit_file_.empty() && sarif_file_.empty()) return true;
  std::vector<report::Finding> findings = report::findings_of(none.problems);
  bool written = true;
  if (!junit_file_.empty()) written = save(junit_file_, report::junit(findings, name));
  if (!sarif_file_.empty()) {
    written = save(sarif_file_, report::sarif(findings, name, tactus_version())) && written;
  }
  return written;
}

report::Checks CheckOptions::judge(const report::Analysis& analysis, bool all) const {
  const auto counting = report::counting_verdicts(analysis);
  std::optional<report::Comparison> comparison;
  if (baseline_) {
    comparison = report::compare(*baseline_, baseline_file_.name, analysis.system,
                                 analysis.verdicts, counting, all);
  }
  return report::judge(analysis.system, counting, min_slack_, std::move(comparison));
}

int CheckOptions::conclude(const report::Analysis& analysis, const report::Checks& checks,
                           const std::string& name, int exit_code) const {
  for (const report::Finding& finding : checks.findings) {
    if (finding.rule != report::Finding::Rule::kMinSlack) continue;
    complain(to_string(
        {fmt::format("{} ({}): {}{}", finding.method, finding.variant,
                     finding.task.empty() ? "" : fmt::format("task {} ", quote(finding.task)),
                     finding.message),
         name, finding.at}));
  }
  bool written = true;
  if (!junit_file_.empty()) {
    written = save(junit_file_, report::junit(analysis.system, report::counting_verdicts(analysis),
                                              checks, name));
  }
  if (!sarif_file_.empty()) {
    written = save(sarif_file_, report::sarif(checks.findings, name, tactus_version())) && written;
  }
  if (!written) return kBadInput;
  return checks.failed() ? kNo : exit_code;
}

}  // namespace tactus::cli
