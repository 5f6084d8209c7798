// Runs, random systems, and what there is to choose from.
#include "tactus/api/call.hpp"
#include "tactus/api/simulation.hpp"
#include "tactus/api/subject.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/catalogue.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/trace/observed_json.hpp"
#include "tactus/verbs/generate.hpp"
#include "tactus/verbs/simulate.hpp"
#include "tactus/verbs/validate.hpp"

using namespace tactus;
using namespace tactus::api;
using tactus::verbs::NoAnswer;

namespace {

constexpr std::int64_t kMostWhole = 999'999'999;

std::uint64_t count(Request& request, std::string_view key, std::int64_t least,
                    std::uint64_t otherwise) {
  return static_cast<std::uint64_t>(
      request.whole(key, least, kMostWhole, static_cast<std::int64_t>(otherwise)));
}

}  // namespace

tactus_answer* tactus::api::simulation(
    const char* system, Request& asked, tactus_call* call,
    const std::function<trace::TraceSink*(const System&)>& sink_for,
    const std::function<void()>& ended) {
  const auto companion = Companion::of(call);
  if (!companion) return answer_without(companion.none());
  Asked subject(system, asked);
  const std::string list = asked.text("method");
  const bool variant_given = asked.has("variant");
  const std::string words = asked.text("scenario", "sync,worst,fifo");
  const std::uint64_t seed = count(asked, "seed", 0, 1);
  simulate::Until until;
  until.jobs = static_cast<std::uint32_t>(count(asked, "jobs", 1, until.jobs));
  const std::string duration = asked.decimal("duration");
  if (asked.flag("late-completions")) until.completions = simulate::Seeing::kLate;
  const std::optional<std::string> plan = asked.document("plan");
  Options options = asked.options();
  auto edited = subject.edited(asked);
  if (!edited) return answer_without(edited.none(), subject.sources());
  if (plan) subject.add_source("<plan>", plan->c_str());
  if (!duration.empty()) {
    const auto time = verbs::time_of("duration", duration, edited->system);
    if (!time) return answer_without(time.none());
    until.duration = *time;
  }
  const auto scenario = trace::parse_scenario(words, seed);
  if (!scenario) return answer_without(NoAnswer::bad_input(scenario.error().message));
  options.stop = until.stop = companion->stop;
  options.progress = companion->progress;
  std::string why;
  const auto chosen = [&]() -> verbs::Answer<verbs::Subject> {
    if (plan) return verbs::plan_in(*plan, "<plan>", edited->system);
    if (list.empty()) {
      const auto choice = verbs::usual_policy(
          edited->system, options,
          variant_given ? std::optional(std::string(options.variant)) : std::nullopt);
      if (!choice) return choice.none();
      options.variant = choice->variant;
      why = verbs::choice_text(*choice);
      return verbs::policy_subject({choice->method}, edited->system, subject.name(), options);
    }
    const auto methods =
        verbs::choose(list == verbs::kPolicyAlias ? registry().front()->id : list, options);
    if (!methods) return methods.none();
    return verbs::policy_subject(*methods, edited->system, subject.name(), options);
  }();
  if (!chosen) return answer_without(chosen.none(), subject.sources());
  trace::TraceSink* const sink = sink_for ? sink_for(edited->system) : nullptr;
  auto seen = verbs::simulate(edited->system, *chosen, *scenario, until, sink);
  if (ended) ended();
  if (!seen) return answer_without(seen.none());
  if (!why.empty()) seen->notes.insert(seen->notes.begin(), why);
  report::note_changes(*edited, *seen);
  return answer_with(verbs::exit_of(*seen), trace::observed_json(edited->system, *seen),
                     subject.warnings(), subject.sources());
}

tactus_answer* tactus_simulate(const char* system, const char* request, tactus_call* call) {
  return guarded([&] {
    Request asked(request);
    return simulation(system, asked, call);
  });
}

tactus_answer* tactus_validate(const char* request, tactus_call* call) {
  return guarded([&] {
    const auto companion = Companion::of(call);
    if (!companion) return answer_without(companion.none());
    Request asked(request);
    verbs::ValidateRequest question;
    const std::string list = asked.text("method", "all");
    question.all = list == "all";
    question.options = asked.options();
    question.systems = count(asked, "count", 1, question.systems);
    question.runs = count(asked, "runs", 1, question.runs);
    question.jobs = static_cast<std::uint32_t>(count(asked, "jobs", 1, question.jobs));
    question.seed = count(asked, "seed", 0, question.seed);
    question.duration = asked.decimal("duration");
    question.recipe = asked.text("recipe");
    question.settings = asked.settings("set");
    question.search = asked.text("search", question.search);
    question.most_catches = count(asked, "limit", 0, question.most_catches);
    question.late_completions = asked.flag("late-completions");
    if (auto bad = asked.finish()) return answer_without(*bad);
    auto methods = verbs::choose(list, question.options);
    if (!methods) return answer_without(methods.none());
    question.methods = std::move(*methods);
    question.options.stop = companion->stop;
    question.options.progress = companion->progress;
    const auto found = verbs::validate(question);
    if (!found) return answer_without(found.none());
    return answer_with(found->exit(), report::validation_json(found->validation), found->told);
  });
}

tactus_answer* tactus_generate(const char* request) {
  return guarded([&] {
    Request asked(request);
    const std::string recipe = asked.text("recipe");
    const std::uint64_t seed = count(asked, "seed", 0, 1), index = count(asked, "index", 0, 0);
    auto given = asked.settings("set");
    if (auto bad = asked.finish()) return answer_without(*bad);
    const auto generator = verbs::generator_of(recipe, std::move(given));
    if (!generator) return answer_without(generator.none());
    return answer_with(TACTUS_YES, write_system(generator->system(seed, index)));
  });
}

tactus_answer* tactus_methods(const char* request) {
  return guarded([&] {
    Request asked(request);
    const std::string list = asked.text("method", "all");
    if (auto bad = asked.finish()) return answer_without(*bad);
    const auto methods = select_methods(list);
    if (!methods) return answer_without(NoAnswer::bad_input(methods.error().message));
    return answer_with(TACTUS_YES, report::methods_json(*methods));
  });
}

tactus_answer* tactus_recipes(void) {
  return guarded([] { return answer_with(TACTUS_YES, report::recipes_json()); });
}
