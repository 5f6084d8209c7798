#include "tactus/verbs/report.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "tactus/base/json.hpp"
#include "tactus/decide/slack.hpp"
#include "tactus/decide/sweep.hpp"
#include "tactus/methods/plan_file.hpp"
#include "tactus/model/notation.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/experiments.hpp"
#include "tactus/report/joined.hpp"
#include "tactus/report/slack.hpp"
#include "tactus/report/sweep.hpp"
#include "tactus/report/trace_columns.hpp"
#include "tactus/verbs/analyze.hpp"
#include "tactus/verbs/check.hpp"
#include "tactus/verbs/slack.hpp"

namespace tactus::verbs {
namespace {

using tactus::report::find_joinable;
using tactus::report::Joinable;
using tactus::report::SystemDocuments;

struct Recognised {
  const ReportInput* input = nullptr;
  const Joinable* kind = nullptr;
  std::string json;
};

struct KnownSystem {
  std::string file;
  decide::Edited edited;
};

class Reporter {
 public:
  explicit Reporter(const ReportRequest& request) : request_(request) {}

  Answer<Reported> answer() {
    for (const ReportInput& input : request_.inputs) read(input);
    if (!none_.problems.empty()) return none_;
    for (const KnownSystem& system : systems_) {
      if (!describe(system)) return none_;
    }
    for (const Recognised& document : documents_) {
      joined_.add(*document.kind, document.input->name, document.json, problem_of(document));
    }
    return Reported{joined_.json(request_.version), title()};
  }

 private:
  void read(const ReportInput& input);
  void read_as_system(const ReportInput& input);
  bool describe(const KnownSystem& known);
  void add_slack(const System& system, SystemDocuments& out) const;
  std::string problem_of(const Recognised& document) const;
  std::string title() const;
  Options options() const;

  const ReportRequest& request_;
  NoAnswer none_;
  std::vector<KnownSystem> systems_;
  std::vector<Recognised> documents_;
  tactus::report::Joined joined_;
};

Options Reporter::options() const {
  Options options;
  options.stop = request_.stop;
  options.progress = request_.progress;
  options.threads = request_.threads;
  return options;
}

void Reporter::read(const ReportInput& input) {
  if (input.is_store) {
    documents_.push_back(
        {&input, find_joinable("experiments"), tactus::report::results_json(input.results)});
    return;
  }
  const auto parsed = parse_text(input.text, notation_of(input.name));
  if (!parsed) {
    none_.problems.push_back({parsed.error().message, input.name, parsed.error().at});
    return;
  }
  const json::Value& root = parsed->root();
  const Joinable* kind = find_joinable(tactus::report::kind_of_document(root));
  if (kind != nullptr && root.find(kind->member) == nullptr) kind = nullptr;
  if (tactus::report::is_of_old(root)) {
    none_.problems.push_back(
        {"this document does not say its `kind`: an earlier tactus wrote it; make it again",
         input.name});
  } else if (kind == nullptr) {
    none_.problems.push_back(
        {"this is neither a system, a plan, a trace or a results.db, nor what run, simulate, "
         "analyze, slack, advise or results print with --json",
         input.name});
  } else if (kind->kind == "system") {
    read_as_system(input);
  } else {
    const bool trace = kind->kind == "trace";
    documents_.push_back(
        {&input, kind,
         trace ? tactus::report::trace_columns_json(root) : tactus::report::copy_of(root)});
  }
}

void Reporter::read_as_system(const ReportInput& input) {
  ReadResult read = read_system(input.text, notation_of(input.name));
  hold_to_methods(read);
  if (read.system) {
    systems_.push_back({input.name, {std::move(*read.system), {}}});
    return;
  }
  for (Error& problem : problems_of(read.diagnostics, input.name)) {
    none_.problems.push_back(std::move(problem));
  }
}

/// Everything about a system; false where there is no answer.
bool Reporter::describe(const KnownSystem& known) {
  const System& system = known.edited.system;
  AnalyzeQuestion question;
  question.choice.threads = request_.threads;
  const auto analyzed =
      analyze(known.edited, known.file, question, {request_.stop, request_.progress, {}});
  if (!analyzed) {
    none_ = analyzed.none();
    return false;
  }
  const tactus::report::Analysis analysis = analyzed->of();
  SystemDocuments out{.file = known.file,
                      .system = write_system_line(system),
                      .analysis = analysis_json(analysis),
                      .explanations = explanations_json(analysis),
                      .slack = {},
                      .sweep = {}};
  if (request_.slack) add_slack(system, out);
  joined_.add(out);
  return true;
}

/// How far its values may go under the method that is deployed, or best; and the bounds on the way.
void Reporter::add_slack(const System& system, SystemDocuments& out) const {
  Options options = this->options();
  const auto choice = choose_one({}, system, {}, options, std::nullopt);
  if (!choice) return;
  options.variant = choice->variant;
  const decide::Slack slack = decide::slack_of(*choice->method, system, options);
  if (slack.stopped || slack.verdict.status == Status::kNotApplicable) return;
  out.slack = tactus::report::slack_json(system, slack, {});
  // A little further than what holds, so that the curves cross the deadline.
  const std::int64_t holds = slack.all_times().holds.value_or(1'000);
  const std::int64_t far = std::clamp<std::int64_t>(holds * 5 / 4, 1'200, 10'000);
  const auto range =
      decide::parse_sweep(system, fmt::format("all=0.5..{}.{:03}", far / 1000, far % 1000));
  if (!range) return;
  const auto points = decide::sweep(*choice->method, system, options, *range, 24);
  if (options.stop.stop_requested()) return;
  out.sweep =
      tactus::report::sweep_json({system, *choice->method, options.variant, *range, points}, {});
}

/// Why a plan does not hold for the system of its name, if that is shown too.
std::string Reporter::problem_of(const Recognised& document) const {
  if (document.kind->kind != "plan") return {};
  const auto parsed = parse_text(document.input->text, notation_of(document.input->name));
  const json::Value* named = parsed->root().find("system");
  const auto known = std::find_if(systems_.begin(), systems_.end(), [&](const KnownSystem& one) {
    return named != nullptr && named->is(json::Kind::kString) &&
           one.edited.system.name == named->text();
  });
  if (known == systems_.end()) return {};
  const auto file =
      read_plan_file(document.input->text, document.input->name, known->edited.system);
  return file ? fmt::format("{}", fmt::join(file->failures, "; ")) : to_string(file.error());
}

std::string Reporter::title() const {
  if (systems_.empty()) return "Tactus report";
  return fmt::format("{}: Tactus report", systems_.front().edited.system.name);
}

}  // namespace

Answer<Reported> report(const ReportRequest& request) { return Reporter(request).answer(); }

}  // namespace tactus::verbs
