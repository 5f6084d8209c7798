#include "tactus/cli/without_effect.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "tactus/cli/output.hpp"

namespace tactus::cli {

void tell_without_effect(const Parser& verb, const std::vector<std::string>& options,
                         std::string_view why) {
  for (const std::string& name : options) {
    const CLI::Option* const option = verb.app().get_option_no_throw(name);
    if (option == nullptr || option->count() == 0) continue;
    complain(fmt::format("tactus: warning: {} has no effect: {}", name, why));
  }
}

void tell_idle_seed(const Parser& verb, const trace::Scenario& scenario) {
  const bool fixed_releases = scenario.releases == trace::Releases::kSynchronous ||
                              scenario.releases == trace::Releases::kOffsets;
  const bool random = !fixed_releases || scenario.lengths != trace::Lengths::kWorst ||
                      scenario.order == trace::Order::kRandom;
  if (random) return;
  tell_without_effect(verb, {"--seed"},
                      fmt::format("nothing is random in {}", to_string(scenario)));
}

std::vector<std::string> options_but(const Parser& verb, const std::vector<std::string>& these) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.app().get_options()) {
    for (const std::string& name : option->get_lnames()) {
      const std::string full = "--" + name;
      if (std::find(these.begin(), these.end(), full) == these.end()) names.push_back(full);
    }
  }
  return names;
}

}  // namespace tactus::cli
