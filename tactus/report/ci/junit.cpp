#include "tactus/report/ci/junit.hpp"

#include <fmt/core.h>

#include "tactus/base/markup.hpp"
#include "tactus/base/printable.hpp"

namespace tactus::report {
namespace {

using Rule = Finding::Rule;

/// Text that XML takes: no control characters, and nothing that is markup.
std::string xml(std::string_view text) { return markup_escaped(printable_line(text)); }

/// One test case; counts what became of it.
struct Suite {
  std::string name, cases;
  int tests = 0, failures = 0, skipped = 0;

  void add(std::string_view what, std::string_view file, Position at, std::string_view outcome) {
    ++tests;
    const std::string place = at.known() ? fmt::format(" line=\"{}\"", at.line) : "";
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\"{}", xml(name),
                         xml(what), xml(file), place);
    cases += outcome.empty() ? "/>\n" : fmt::format(">\n{}    </testcase>\n", outcome);
  }

  std::string text() const {
    return fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n"
        "{}  </testsuite>\n",
        xml(name), tests, failures, skipped, cases);
  }
};

std::string failure(const Finding& finding, std::string_view file) {
  const Diagnostic told{finding.message, {}, finding.at};
  return fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                     kRules[static_cast<std::size_t>(finding.rule)].id, xml(finding.message),
                     xml(to_string(told, file)));
}

std::string document(std::span<const Suite> suites) {
  int tests = 0, failures = 0, skipped = 0;
  std::string body;
  for (const Suite& suite : suites) {
    tests += suite.tests;
    failures += suite.failures;
    skipped += suite.skipped;
    body += suite.text();
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"tactus analyze\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
      "skipped=\"{}\">\n{}</testsuites>\n",
      tests, failures, skipped, body);
}

/// What was found of a verdict, of one task or (without a name) of the whole.
std::string failures_of(const Verdict& verdict, std::string_view task, const Checks& checks,
                        std::string_view file) {
  std::string out;
  for (const Finding& finding : checks.findings) {
    if (finding.rule == Rule::kUnknown || finding.task != task) continue;
    if (finding.method != verdict.method || finding.variant != verdict.variant) continue;
    out += failure(finding, file);
  }
  return out;
}

Suite suite_of(const System& system, const Verdict& verdict, const Checks& checks,
               std::string_view file) {
  Suite suite{fmt::format("{} ({})", verdict.method, verdict.variant), {}};
  const bool answered =
      verdict.status == Status::kSchedulable || verdict.status == Status::kUnschedulable;
  if (!answered) {
    ++suite.skipped;
    suite.add("verdict", file, verdict.at,
              fmt::format("      <skipped message=\"{}: {}\"/>\n", to_string(verdict.status),
                          xml(verdict.reason)));
  }
  const auto add = [&](std::string_view name, std::string_view task, Position at) {
    const std::string failures = failures_of(verdict, task, checks, file);
    if (!failures.empty()) ++suite.failures;
    suite.add(name, file, at, failures);
  };
  if (answered) add("verdict", "", verdict.at);
  for (const TaskVerdict& task : verdict.tasks) {
    const Task& own = system.tasks[task.task];
    if (answered) add(own.name, own.name, own.at);
  }
  return suite;
}

}  // namespace

std::string junit(const System& system, std::span<const Verdict* const> counting,
                  const Checks& checks, std::string_view file) {
  std::vector<Suite> suites;
  for (const Verdict* verdict : counting) {
    suites.push_back(suite_of(system, *verdict, checks, file));
  }
  return document(suites);
}

std::string junit(std::span<const Finding> findings, std::string_view file) {
  Suite suite{"system file", {}};
  std::string failures;
  for (const Finding& finding : findings) failures += failure(finding, file);
  ++suite.failures;
  suite.add(file, file, findings.empty() ? Position() : findings.front().at, failures);
  return document({&suite, 1});
}

}  // namespace tactus::report
