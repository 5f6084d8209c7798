#include "tactus/verbs/analyze.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/many.hpp"
#include "tactus/methods/views.hpp"
#include "tactus/report/explanation.hpp"

namespace tactus::verbs {
namespace {

/// The methods in the variant of the request, the one that the file deploys in the variant that it
/// names; and, where nobody chose, the variants that tactus runs.
std::vector<Question> questions_of(const MethodChoice& choice, const Methods& methods,
                                   const Options& options, const Analyzed& answer) {
  const bool free = !choice.variant && answer.by != report::JudgedBy::kNamed;
  std::vector<Question> all = decide::questions(
      methods, options, free ? decide::Variants::kAlsoDeployable : decide::Variants::kAsAsked);
  if (!answer.deployed) return all;
  const Deployed& deployed = *answer.deployed;
  const auto asks_it = [&](const Question& question) { return question.method == deployed.method; };
  const auto rest = all.begin() + static_cast<std::ptrdiff_t>(answer.asked);
  const auto own = std::find_if(all.begin(), rest, asks_it);
  if (own != rest) own->options.variant = deployed.variant;
  // Nothing is asked twice.
  all.erase(std::remove_if(rest, all.end(),
                           [&](const Question& question) {
                             return asks_it(question) &&
                                    question.options.variant == deployed.variant;
                           }),
            all.end());
  return all;
}

Answer<std::vector<Verdict>> verdicts_of(const System& system,
                                         const std::vector<Question>& questions, int threads) {
  Views views(system);
  std::vector<std::optional<Answer<Verdict>>> found(questions.size());
  for_each_index(questions.size(), threads, [&](std::size_t i) {
    Options options = questions[i].options;
    options.views = &views;
    found[i] = analyzed(*questions[i].method, system, options);
  });
  std::vector<Verdict> verdicts;
  for (auto& verdict : found) {
    if (!*verdict) return verdict->none();
    verdicts.push_back(std::move(**verdict));
  }
  return verdicts;
}

}  // namespace

std::size_t Analyzed::place_of_best() const {
  if (!deployed) return standings.front().place;
  const auto place =
      std::find_if(questions.begin(), questions.end(),
                   [&](const Question& question) { return question.method == deployed->method; });
  return static_cast<std::size_t>(place - questions.begin());
}

report::Analysis Analyzed::of(std::string_view words) const {
  report::Analysis analysis{edited.system, questions, verdicts, by};
  if (deployed) analysis.deployed = place_of_best();
  analysis.changes = edited.changes;
  analysis.asked = asked;
  analysis.standings = standings;
  analysis.growth = growth;
  analysis.words = words;
  return analysis;
}

void describe(AnalyzeQuestion& question, Fields& is) {
  describe(question.about, is);
  describe_without_system(question, is);
}

void describe_without_system(AnalyzeQuestion& question, Fields& is) {
  describe(question.choice, is, true);
  is("explain", question.explain, "Show what the bound of one task is made of").shows("TASK");
}

Exit Analyzed::exit() const { return exit_of(report::judgement(of())); }

std::string Analyzed::json() const {
  return explained ? report::explanation_json(of(), *explained) : report::analysis_json(of());
}

namespace {

/// The task of that name; an empty name is none.
Answer<std::optional<TaskIndex>> task_named(const std::string& name, const System& system) {
  if (name.empty()) return std::optional<TaskIndex>();
  std::vector<std::string_view> names;
  for (const Task& task : system.tasks) {
    if (task.name == name) return std::optional(static_cast<TaskIndex>(names.size()));
    names.push_back(task.name);
  }
  return NoAnswer::bad_input(
      fmt::format("there is no task {}{}", quote(name), suggestion(name, names)));
}

}  // namespace

Answer<Analyzed> answer(const AnalyzeQuestion& question, const Companion& companion) {
  if (const auto methods = question.choice.methods(); !methods) return methods.none();
  auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  return analyze(std::move(*edited), question.about.name(), question, companion);
}

Answer<Analyzed> analyze(decide::Edited edited, const std::string& file,
                         const AnalyzeQuestion& question, const Companion& companion) {
  const MethodChoice& choice = question.choice;
  const auto methods = choice.methods();
  if (!methods) return methods.none();
  Analyzed answer;
  answer.edited = std::move(edited);
  const System& system = answer.edited.system;
  const auto explained = task_named(question.explain, system);
  if (!explained) return explained.none();
  answer.explained = *explained;
  Options options = choice.with(companion);
  options.terms = question.terms;
  options.explain = answer.explained;
  auto deployed = deployed_by(system);
  if (!deployed) return NoAnswer::bad_input(deployed.error(), file);
  answer.asked = methods->size();
  if (choice.named()) {
    answer.by = choice.all() ? report::JudgedBy::kAny : report::JudgedBy::kNamed;
  } else {
    answer.deployed = std::move(*deployed);
    answer.by = answer.deployed ? report::JudgedBy::kDeployed : report::JudgedBy::kAny;
  }
  answer.questions = questions_of(choice, *methods, options, answer);
  auto verdicts = verdicts_of(system, answer.questions, options.threads);
  if (!verdicts) return verdicts.none();
  answer.verdicts = std::move(*verdicts);
  answer.standings = decide::standings(system, answer.questions, answer.verdicts);
  if (question.growth && !answer.explained) {
    const Question& best = answer.questions[answer.place_of_best()];
    answer.growth = decide::growth_of(*best.method, system, best.options);
  }
  return answer;
}

}  // namespace tactus::verbs
