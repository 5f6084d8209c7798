#include "tactus/report/checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tactus/report/analysis.hpp"

namespace tactus {
namespace report {
namespace {

using Rule = Finding::Rule;

class Judge {
 public:
  Judge(const System& system, Checks& out) : system_(system), out_(out) {}

  void judge(const Verdict& verdict) {
    verdict_ = &verdict;
    if (verdict.status == Status::kNotApplicable || verdict.status == Status::kUndecided) {
      add(Rule::kUnknown, nullptr,
          fmt::format("{}{}{}", to_string(verdict.status), verdict.reason.empty() ? "" : ": ",
                      verdict.reason),
          verdict.at);
    }
    for (const TaskVerdict& task : verdict.tasks) {
      if (!task.schedulable && verdict.status == Status::kUnschedulable) {
        add(Rule::kDeadline, &task, unproved(task), place_of(task));
      } else if (task.schedulable && out_.min_slack && task.deadline) {
        judge_slack(task);
      }
    }
    for (const ChainVerdict& chain : verdict.chains) {
      if (chain.holds && out_.min_slack) judge_slack(chain);
    }
    const bool unsaid = verdict.status == Status::kUnschedulable &&
                        std::all_of(verdict.tasks.begin(), verdict.tasks.end(),
                                    [](const TaskVerdict& task) { return task.schedulable; });
    if (unsaid) {
      add(Rule::kDeadline, nullptr,
          verdict.reason.empty() ? "not every deadline is proved" : verdict.reason, verdict.at);
    }
  }

  void judge(const Comparison& comparison) {
    for (const Difference& one : comparison.differences) {
      if (one.kind != Difference::Kind::kWorse || !one.counts) continue;
      const auto task = std::find_if(system_.tasks.begin(), system_.tasks.end(),
                                     [&](const Task& entry) { return entry.name == one.task; });
      static constexpr std::string_view kWhats[] = {"", "verdict", "bound", "slack"};
      out_.findings.push_back({Rule::kWorse, one.method, one.variant, one.task,
                               fmt::format("{} is worse than in {}: it was {}, now it is {}",
                                           kWhats[static_cast<std::size_t>(one.what)],
                                           comparison.file, one.was, one.now),
                               task == system_.tasks.end() ? Position() : task->at});
    }
  }

 private:
  Position place_of(const TaskVerdict& task) const { return system_.tasks[task.task].at; }

  std::string unproved(const TaskVerdict& task) const {
    const std::string deadline =
        task.deadline ? format_time(*task.deadline, system_.time_unit) : "none";
    if (task.bound) {
      return fmt::format("its bound {} exceeds its deadline {}",
                         format_time(*task.bound, system_.time_unit), deadline);
    }
    if (task.conditional_bound) {
      return fmt::format("its deadline {} is proved only if the tasks above it meet theirs",
                         deadline);
    }
    if (!task.terms.empty()) {
      return fmt::format("it needs {}, more than its deadline {}",
                         format_time(total(task.terms), system_.time_unit), deadline);
    }
    return fmt::format("its deadline {} is not proved{}{}", deadline, task.note.empty() ? "" : ": ",
                       task.note);
  }

  void judge_slack(const TaskVerdict& task) {
    const Percent& least = *out_.min_slack;
    if (!task.bound) {
      // Proved, but nobody knows by how much: that is not a promise of slack.
      if (least.millionths == 0) return;
      add(Rule::kMinSlack, &task,
          fmt::format("has no bound of its own, so {} of slack are not proved", least.text),
          place_of(task));
    } else if (!has_slack(*task.bound, *task.deadline, least)) {
      add(Rule::kMinSlack, &task,
          fmt::format("has {} % slack (bound {}, deadline {}), less than {}",
                      slack_percent(*task.bound, *task.deadline),
                      format_time(*task.bound, system_.time_unit),
                      format_time(*task.deadline, system_.time_unit), least.text),
          place_of(task));
    }
  }

  void judge_slack(const ChainVerdict& found) {
    const Chain& chain = system_.chains[found.chain];
    const auto judge = [&](const std::optional<Time>& limit, std::string_view what) {
      if (!limit || has_slack(*found.bound, *limit, *out_.min_slack)) return;
      add(Rule::kMinSlack, nullptr,
          fmt::format("chain {} has {} % slack (bound {}, {} {}), less than {}", chain.name,
                      slack_percent(*found.bound, *limit),
                      format_time(*found.bound, system_.time_unit), what,
                      format_time(*limit, system_.time_unit), out_.min_slack->text),
          chain.at);
    };
    judge(chain.reaction, "reaction");
    judge(chain.age, "age");
  }

  void add(Rule rule, const TaskVerdict* task, std::string message, Position at) {
    out_.findings.push_back({rule, verdict_->method, verdict_->variant,
                             task ? system_.tasks[task->task].name : "", std::move(message), at});
  }

  const System& system_;
  Checks& out_;
  const Verdict* verdict_ = nullptr;
};

}  // namespace

bool Checks::failed() const {
  return (comparison && comparison->worse) ||
         std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.rule == Rule::kMinSlack; });
}

Checks judge(const System& system, std::span<const Verdict* const> counting,
             std::optional<Percent> min_slack, std::optional<Comparison> comparison) {
  Checks checks{std::move(min_slack), std::move(comparison), {}};
  Judge judge(system, checks);
  for (const Verdict* verdict : counting) judge.judge(*verdict);
  if (checks.comparison && checks.comparison->worse) judge.judge(*checks.comparison);
  return checks;
}

std::vector<Finding> findings_of(std::span<const Diagnostic> diagnostics) {
  std::vector<Finding> findings;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::kError) continue;
    findings.push_back({Rule::kFile, "", "", "", diagnostic.message, diagnostic.at});
  }
  return findings;
}

}  // namespace report

using namespace codec;  // the words of the tables
using report::Checks, report::Finding;

template <>
std::span<const Field<Finding>> fields<Finding>() {
  static constexpr auto kTable = std::to_array<Field<Finding>>({
      always<&Finding::method, Line>("method", "Its id"),
      always<&Finding::variant, Line>("variant", "Which variant of it"),
      always<&Finding::task, Line>("task", "Which task has less"),
      always<&Finding::message, Line>("why", "What it has"),
  });
  return kTable;
}

template <>
std::span<const Field<Checks>> fields<Checks>() {
  static constexpr auto kTable = std::to_array<Field<Checks>>({
      always<Line>("asked", "Percent of the deadline",
                   [](const Checks& checks) { return std::string_view(checks.min_slack->text); }),
      always<List<Object<Finding>>>("below", "Tasks that have less",
                                    [](const Checks& checks) {
                                      std::vector<Finding> below = checks.findings;
                                      std::erase_if(below, [](const Finding& one) {
                                        return one.rule != Finding::Rule::kMinSlack;
                                      });
                                      return below;
                                    }),
  });
  return kTable;
}

}  // namespace tactus
