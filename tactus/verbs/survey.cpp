#include "tactus/verbs/survey.hpp"

#include <algorithm>

#include "tactus/methods/many.hpp"

namespace tactus::verbs {

Exit Survey::exit() const {
  bool refuted = false, unknown = false;
  for (const report::Surveyed& one : all) {
    const auto has = [&](Exit exit) {
      return std::any_of(one.verdicts.begin(), one.verdicts.end(),
                         [&](const Verdict& verdict) { return exit_of(verdict.status) == exit; });
    };
    if (!named && has(kYes)) continue;
    refuted = refuted || has(kNo);
    unknown = unknown || (named ? has(kUnknown) : !has(kNo));
  }
  return refuted ? kNo : unknown ? kUnknown : kYes;
}

Answer<Survey> survey(const std::vector<Document>& documents, const AnalyzeQuestion& question,
                      const Companion& companion) {
  const auto methods = question.choice.methods();
  if (!methods) return methods.none();
  Survey found{{}, question.choice.named() && !question.choice.all()};
  NoAnswer bad;
  for (const Document& document : documents) {
    const auto good =
        for_each_system(document, companion, [&](std::string place, System system) -> Answer<bool> {
          auto edited = question.about.what_if.applied(std::move(system), document.name, companion);
          if (!edited) return edited.none();
          found.all.push_back({std::move(place), std::move(edited->system), {}});
          return true;
        });
    if (good) continue;
    const auto& problems = good.none().problems;
    bad.problems.insert(bad.problems.end(), problems.begin(), problems.end());
  }
  if (!bad.problems.empty()) return bad;
  Options options = question.choice.with(companion);
  const int threads = options.threads;
  options.threads = 1;
  options.plan = options.terms = false;
  std::vector<tactus::Question> questions;
  for (const Method* method : *methods) questions.push_back({method, options});
  // What is wrong with an option is wrong for every system: the first one tells it.
  for (const tactus::Question& each : questions) {
    auto verdict = analyzed(*each.method, found.all.front().system, each.options);
    if (!verdict) return verdict.none();
  }
  for_each_index(found.all.size(), threads, [&](std::size_t i) {
    found.all[i].verdicts = analyze_many(found.all[i].system, questions);
  });
  if (companion.stop.stop_requested()) {
    return NoAnswer::unknown("interrupted before all systems were analysed");
  }
  return found;
}

}  // namespace tactus::verbs
