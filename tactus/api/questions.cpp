// What is asked about one system.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "tactus/api/call.hpp"
#include "tactus/api/subject.hpp"
#include "tactus/decide/slack.hpp"
#include "tactus/decide/sweep.hpp"
#include "tactus/methods/plan_file.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/advice.hpp"
#include "tactus/report/check.hpp"
#include "tactus/report/plan.hpp"
#include "tactus/report/slack.hpp"
#include "tactus/report/sweep.hpp"
#include "tactus/verbs/advise.hpp"
#include "tactus/verbs/analyze.hpp"
#include "tactus/verbs/slack.hpp"
#include "tactus/verbs/subject.hpp"
#include "tactus/verbs/what_if.hpp"

using namespace tactus;
using namespace tactus::api;
using tactus::verbs::NoAnswer;

namespace {

constexpr std::int64_t kMostWhole = 999'999'999;

void accompany(Options& options, const Companion& companion) {
  options.stop = companion.stop;
  options.progress = companion.progress;
}

}  // namespace

tactus_answer* tactus_check(const char* system, const char* request) {
  return guarded([&] {
    Request asked(request);
    Asked subject(system, asked);
    std::vector<report::CheckedFile> files(1);
    auto& [name, result, edited] = files.front();
    name = subject.name();
    auto changed = subject.edited(asked);
    std::vector<verbs::Problem> problems = subject.warnings();
    if (!changed) {
      // What is wrong with the system is the answer; what is wrong with the question has none.
      const NoAnswer& none = changed.none();
      for (const verbs::Problem& problem : none.problems) {
        if (problem.file != name) return answer_without(none, subject.sources());
        result.diagnostics.push_back({problem.severity, problem.at, problem.message});
      }
      problems = none.problems;
    } else {
      edited = std::move(*changed);
      result.system = std::move(edited.system);
      verbs::hold_to_methods(result);
      for (auto& said : problems_of(result.diagnostics, name)) problems.push_back(std::move(said));
    }
    const int status = result.system ? TACTUS_YES : TACTUS_BAD_INPUT;
    return answer_with(status, report::check_json(files), problems, subject.sources());
  });
}

tactus_answer* tactus_canonical(const char* system, const char* request) {
  return guarded([&] {
    Request asked(request);
    Asked subject(system, asked);
    const auto edited = subject.edited(asked);
    if (!edited) return answer_without(edited.none(), subject.sources());
    return answer_with(TACTUS_YES, write_system(edited->system), subject.warnings(),
                       subject.sources());
  });
}

tactus_answer* tactus_analyze(const char* system, const char* request, tactus_call* call) {
  return guarded([&] {
    const auto companion = Companion::of(call);
    if (!companion) return answer_without(companion.none());
    Request asked(request);
    Asked subject(system, asked);
    verbs::AnalyzeRequest question;
    question.named = asked.has("method");
    const std::string list = asked.text("method", "all");
    question.all = list == "all";
    question.options = asked.options();
    question.variant_given = asked.has("variant");
    const auto edited = subject.edited(asked);
    if (!edited) return answer_without(edited.none(), subject.sources());
    auto methods = verbs::choose(list, question.options);
    if (!methods) return answer_without(methods.none());
    question.methods = std::move(*methods);
    accompany(question.options, *companion);
    const auto found = verbs::analyze(edited->system, subject.name(), question);
    if (!found) return answer_without(found.none(), subject.sources());
    const report::Analysis analysis = found->of(*edited);
    return answer_with(verbs::exit_of(report::judgement(analysis)), report::analysis_json(analysis),
                       subject.warnings(), subject.sources());
  });
}

tactus_answer* tactus_slack(const char* system, const char* request, tactus_call* call) {
  return guarded([&] {
    const auto companion = Companion::of(call);
    if (!companion) return answer_without(companion.none());
    Request asked(request);
    Asked subject(system, asked);
    const std::string list = asked.text("method");
    std::optional<std::string> variant;
    if (asked.has("variant")) variant = asked.text("variant");
    const std::string swept = asked.text("sweep");
    const std::int64_t points = asked.whole("points", 2, 10'000, 16);
    Options options = asked.options();
    const auto edited = subject.edited(asked);
    if (!edited) return answer_without(edited.none(), subject.sources());
    verbs::Methods named;
    if (!list.empty()) {
      auto methods = verbs::choose(list, options);
      if (!methods) return answer_without(methods.none());
      named = std::move(*methods);
    }
    accompany(options, *companion);
    const auto choice = verbs::choose_one(named, edited->system, options, variant);
    if (!choice) return answer_without(choice.none());
    options.variant = choice->variant;
    const auto sound = verbs::analyzed(*choice->method, edited->system, options);
    if (!sound) return answer_without(sound.none());
    if (sound->status == Status::kNotApplicable) {
      return answer_without(verbs::obstacles_of(*sound, subject.name()), subject.sources());
    }
    if (!swept.empty()) {
      const auto range = decide::parse_sweep(edited->system, swept);
      if (!range) return answer_without(NoAnswer::bad_input(range.error().message));
      const auto along = decide::sweep(*choice->method, edited->system, options, *range, points);
      return answer_with(
          options.stop.stop_requested() ? verbs::kUnknown : verbs::kYes,
          report::sweep_json({edited->system, *choice->method, options.variant, *range, along},
                             edited->changes),
          subject.warnings(), subject.sources());
    }
    const decide::Slack slack = decide::slack_of(*choice->method, edited->system, options);
    return answer_with(slack.stopped ? verbs::kUnknown : verbs::exit_of(slack.verdict.status),
                       report::slack_json(edited->system, slack, edited->changes),
                       subject.warnings(), subject.sources());
  });
}

tactus_answer* tactus_advise(const char* system, const char* request, tactus_call* call) {
  return guarded([&] {
    const auto companion = Companion::of(call);
    if (!companion) return answer_without(companion.none());
    Request asked(request);
    Asked subject(system, asked);
    verbs::AdviseRequest question;
    question.methods = asked.text("method");
    question.target = asked.word("for", verbs::kTargets, question.target);
    question.goal = asked.word("goal", verbs::kGoals, question.goal);
    question.vary = asked.texts("vary");
    question.seed = static_cast<std::uint64_t>(asked.whole("seed", 0, kMostWhole, 1));
    question.threads = static_cast<int>(asked.whole("threads", 1, 1024, 1));
    // "time-limit" is the name that the option had before.
    const std::int64_t seconds =
        asked.whole("time-limit", 0, kMostWhole, question.time_limit.count());
    question.time_limit = std::chrono::seconds(asked.whole("stop-after", 0, kMostWhole, seconds));
    const bool with_systems = asked.flag("systems");
    const auto edited = subject.edited(asked);
    if (!edited) return answer_without(edited.none(), subject.sources());
    for (const std::string& one : question.vary) {
      if (std::find(verbs::kVaried.begin(), verbs::kVaried.end(), one) != verbs::kVaried.end()) {
        continue;
      }
      return answer_without(NoAnswer::bad_input(fmt::format(
          "`vary`: there is nothing called {}{}", quote(one), suggestion(one, verbs::kVaried))));
    }
    question.stop = companion->stop;
    question.progress = companion->progress;
    const auto found = verbs::advise(edited->system, subject.name(), question);
    if (!found) return answer_without(found.none(), subject.sources());
    return answer_with(found->exit(),
                       report::advice_json(edited->system, found->advice, found->way_out,
                                           edited->changes, with_systems),
                       subject.warnings(), subject.sources());
  });
}

tactus_answer* tactus_plan(const char* system, const char* request, tactus_call* call) {
  return guarded([&] {
    const auto companion = Companion::of(call);
    if (!companion) return answer_without(companion.none());
    Request asked(request);
    Asked subject(system, asked);
    const std::string list = asked.text("method");
    std::optional<std::string> variant;
    if (asked.has("variant")) variant = asked.text("variant");
    Options options = asked.options();
    const auto edited = subject.edited(asked);
    if (!edited) return answer_without(edited.none(), subject.sources());
    verbs::Methods methods;
    if (!list.empty()) {
      auto named = verbs::choose(list, options);
      if (!named) return answer_without(named.none());
      methods = std::move(*named);
    }
    accompany(options, *companion);
    if (methods.empty()) {
      const auto choice = verbs::choose_one({}, edited->system, options, variant,
                                            [](const Method& each) { return each.makes_plan; });
      if (!choice) return answer_without(choice.none());
      methods = {choice->method};
      options.variant = choice->variant;
    }
    const auto made = verbs::plan_made_now(methods, edited->system, subject.name(), options);
    if (!made) return answer_without(made.none(), subject.sources());
    return answer_with(verbs::exit_of(made->verdict.status),
                       report::plan_json(edited->system, made->verdict), subject.warnings(),
                       subject.sources());
  });
}

tactus_answer* tactus_check_plan(const char* system, const char* plan, const char* request) {
  return guarded([&] {
    Request asked(request);
    Asked subject(system, asked);
    subject.add_source("<plan>", plan);
    const auto edited = subject.edited(asked);
    if (!edited) return answer_without(edited.none(), subject.sources());
    if (plan == nullptr) return answer_without(NoAnswer::bad_input("there is no plan: it is NULL"));
    const auto file = verbs::plan_file(plan, "<plan>", edited->system);
    if (!file) return answer_without(file.none(), subject.sources());
    return answer_with(file->failures.empty() ? TACTUS_YES : TACTUS_NO,
                       report::plan_check_json(edited->system, *file, edited->changes),
                       subject.warnings(), subject.sources());
  });
}
