#include "tactus/verbs/analyze.hpp"

#include <algorithm>

#include "tactus/methods/many.hpp"
#include "tactus/methods/views.hpp"

namespace tactus::verbs {
namespace {

Answer<std::vector<Verdict>> verdicts_of(const System& system, const AnalyzeRequest& request,
                                         const std::optional<Deployed>& deployed) {
  const Methods& methods = request.methods;
  Views views(system);
  std::vector<std::optional<Answer<Verdict>>> found(methods.size());
  for_each_index(methods.size(), request.options.threads, [&](std::size_t i) {
    Options options = request.options;
    options.views = &views;
    if (deployed && deployed->method == methods[i]) options.variant = deployed->variant;
    found[i] = analyzed(*methods[i], system, options);
  });
  std::vector<Verdict> verdicts;
  for (auto& verdict : found) {
    if (!*verdict) return verdict->none();
    verdicts.push_back(std::move(**verdict));
  }
  return verdicts;
}

}  // namespace

report::Analysis Analyzed::of(const decide::Edited& edited) const {
  report::Analysis analysis{edited.system, methods, verdicts, by};
  if (deployed) {
    const auto place = std::find(methods.begin(), methods.end(), deployed->method);
    analysis.deployed = static_cast<std::size_t>(place - methods.begin());
  }
  analysis.changes = edited.changes;
  return analysis;
}

Answer<Analyzed> analyze(const System& system, const std::string& file,
                         const AnalyzeRequest& request) {
  auto deployed = deployed_by(system);
  if (const auto* problem = std::get_if<Diagnostic>(&deployed)) {
    return NoAnswer{kBadInput, {{problem->message, file, problem->at}}};
  }
  Analyzed answer;
  answer.methods = request.methods;
  if (request.named) {
    answer.by = request.all ? report::JudgedBy::kAny : report::JudgedBy::kNamed;
  } else {
    answer.deployed = std::move(std::get<std::optional<Deployed>>(deployed));
    answer.by = answer.deployed ? report::JudgedBy::kDeployed : report::JudgedBy::kAny;
  }
  auto verdicts = verdicts_of(system, request, answer.deployed);
  if (!verdicts) return verdicts.none();
  answer.verdicts = std::move(*verdicts);
  return answer;
}

}  // namespace tactus::verbs
