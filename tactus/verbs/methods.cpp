#include "tactus/verbs/methods.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/option_values.hpp"
#include "tactus/report/catalogue.hpp"

namespace tactus::verbs {
namespace {

const OptionSpec* find_option(const Methods& methods, std::string_view name) {
  for (const Method* method : methods) {
    for (const OptionSpec& option : method->options) {
      if (option.name == name) return &option;
    }
  }
  return nullptr;
}

/// What is wrong with the options themselves, for any system; empty if nothing is.
std::string fault_of(const Options& options, const Methods& methods) {
  for (const auto& [name, value] : options.settings) {
    const OptionSpec* option = find_option(methods, name);
    if (option == nullptr) {
      return fmt::format("none of the chosen methods has the option --{}", name);
    }
    if (std::string problem = problem_with(*option, value); !problem.empty()) return problem;
  }
  std::vector<std::string_view> variants;
  for (const Method* method : methods) {
    variants.insert(variants.end(), method->variants.begin(), method->variants.end());
  }
  if (std::find(variants.begin(), variants.end(), options.variant) != variants.end()) return {};
  const std::string owner = methods.size() == 1 ? fmt::format("{} has no", methods.front()->id)
                                                : std::string("none of the chosen methods has the");
  const std::string meant = suggestion(options.variant, variants);
  return fmt::format("{} variant {}{}", owner, quote(options.variant),
                     meant.empty() ? "; `tactus methods` lists them" : meant);
}

}  // namespace

Answer<Methods> choose(std::string_view list, const Options& options) {
  Result<Methods> chosen = select_methods(list);
  if (!chosen) return NoAnswer::bad_input(chosen.error().message);
  if (std::string fault = fault_of(options, *chosen); !fault.empty()) {
    return NoAnswer::bad_input(std::move(fault));
  }
  return std::move(*chosen);
}

Answer<Verdict> analyzed(const Method& method, const System& system, const Options& options) {
  Result<Verdict> verdict = try_analyze(method, system, options);
  if (verdict) return std::move(*verdict);
  return NoAnswer::bad_input(fmt::format("{}: {}", method.id, verdict.error().message));
}

void describe(MethodsQuestion& question, Fields& is) {
  is("method", question.method, "Ids or wildcards, comma-separated").positional("ID").commas();
}

std::string Listed::json() const { return report::methods_json(methods); }

Answer<Listed> answer(const MethodsQuestion& question, const Companion&) {
  auto methods = select_methods(question.method);
  if (!methods) return NoAnswer::bad_input(methods.error().message);
  return Listed{std::move(*methods)};
}

Exit exit_of(Status status) {
  switch (status) {
    case Status::kSchedulable:
      return kYes;
    case Status::kUnschedulable:
      return kNo;
    default:
      return kUnknown;
  }
}

}  // namespace tactus::verbs
