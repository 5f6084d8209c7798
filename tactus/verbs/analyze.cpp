#include "tactus/verbs/analyze.hpp"

#include <algorithm>

#include "tactus/methods/many.hpp"
#include "tactus/methods/views.hpp"

namespace tactus::verbs {
namespace {

/// The methods in the variant of the request, the one that the file deploys in the variant that it
/// names; and, where nobody chose, the variants that tactus runs.
std::vector<Question> questions_of(const AnalyzeRequest& request, const Analyzed& answer) {
  const bool free = !request.variant_given && answer.by != report::JudgedBy::kNamed;
  std::vector<Question> all =
      decide::questions(request.methods, request.options,
                        free ? decide::Variants::kAlsoDeployable : decide::Variants::kAsAsked);
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

report::Analysis Analyzed::of(const decide::Edited& edited, std::string_view words) const {
  report::Analysis analysis{edited.system, questions, verdicts, by};
  if (deployed) analysis.deployed = place_of_best();
  analysis.changes = edited.changes;
  analysis.asked = asked;
  analysis.standings = standings;
  analysis.growth = growth;
  analysis.words = words;
  return analysis;
}

Answer<Analyzed> analyze(const System& system, const std::string& file,
                         const AnalyzeRequest& request) {
  auto deployed = deployed_by(system);
  if (const auto* problem = std::get_if<Diagnostic>(&deployed)) {
    return NoAnswer{kBadInput, {{problem->message, file, problem->at}}};
  }
  Analyzed answer;
  answer.asked = request.methods.size();
  if (request.named) {
    answer.by = request.all ? report::JudgedBy::kAny : report::JudgedBy::kNamed;
  } else {
    answer.deployed = std::move(std::get<std::optional<Deployed>>(deployed));
    answer.by = answer.deployed ? report::JudgedBy::kDeployed : report::JudgedBy::kAny;
  }
  answer.questions = questions_of(request, answer);
  auto verdicts = verdicts_of(system, answer.questions, request.options.threads);
  if (!verdicts) return verdicts.none();
  answer.verdicts = std::move(*verdicts);
  answer.standings = decide::standings(system, answer.questions, answer.verdicts);
  if (request.growth) {
    const Question& best = answer.questions[answer.place_of_best()];
    answer.growth = decide::growth_of(*best.method, system, best.options);
  }
  return answer;
}

}  // namespace tactus::verbs
