#include "tactus/verbs/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/simulate/registry.hpp"
#include "tactus/verbs/simulate.hpp"

namespace tactus::verbs {
namespace {

bool has_variant(const Method& method, std::string_view variant) {
  return std::find(method.variants.begin(), method.variants.end(), variant) !=
         method.variants.end();
}

/// How long a run is, if the request says so. What is generated counts in milliseconds, or in units
/// of the same length.
Answer<std::optional<Time>> duration_of(const ValidateRequest& request) {
  if (request.duration.empty()) return std::optional<Time>();
  const System& first = request.given.empty() ? System{} : request.given.front();
  for (const System& system : request.given) {
    if (system.time_unit == first.time_unit) continue;
    return NoAnswer::bad_input("--duration needs systems that count in the same unit");
  }
  const auto time = time_of("duration", request.duration, first);
  if (!time) return time.none();
  return std::optional(*time);
}

}  // namespace

Exit Validated::exit() const {
  std::uint64_t violations = 0, promised = 0;
  for (const report::Hunted& hunted : validation.hunted) {
    if (!hunted.bag.broken_rule.empty()) return kUnknown;
    violations += hunted.bag.violations;
    promised += hunted.bag.promised;
  }
  if (violations > 0) return kNo;
  // Nothing promised, nothing validated.
  return promised > 0 && !interrupted ? kYes : kUnknown;
}

Answer<Validated> validate(const ValidateRequest& request) {
  const auto duration = duration_of(request);
  if (!duration) return duration.none();
  const auto search = simulate::search_named(request.search);
  if (!search) {
    return NoAnswer{kBadInput,
                    {{fmt::format("`--search` must be random, climb or offsets, got {}",
                                  quote(request.search))}}};
  }
  const Recipe* recipe = nullptr;
  if (!request.recipe.empty()) {
    const auto generator = generator_of(request.recipe, request.settings);
    if (!generator) return generator.none();
    recipe = generator->recipe;
  } else if (!request.settings.empty()) {
    return NoAnswer::bad_input("--set changes what a recipe draws; --recipe must name it");
  }
  Validated answer{{{},
                    request.options,
                    request.jobs,
                    request.duration,
                    request.folder,
                    request.late_completions,
                    request.places},
                   {},
                   false};
  std::vector<std::string_view> without_variant;
  for (const Method* method : request.methods) {
    simulate::Hunt hunt;
    hunt.method = method;
    const auto policy = simulate::find_policy(*method);
    if (!policy) {
      if (!request.all) answer.told.push_back({policy.error().message});
      continue;
    }
    hunt.recipe = recipe;
    hunt.settings = request.settings;
    hunt.given = request.given;
    if (recipe == nullptr && request.given.empty()) {
      const auto ground = simulate::hunting_ground(*method);
      if (!ground) {
        if (!request.all) answer.told.push_back({ground.error().message});
        continue;
      }
      hunt.recipe = *ground;
    }
    if (*search != simulate::Search::kRandom && method->behaviour.fixes_releases) {
      if (request.all) continue;
      answer.told.push_back(
          {fmt::format("{} knows when jobs arrive: there is no other offset to try", method->id)});
      continue;
    }
    if (request.late_completions && !policy->entry->sees_completions) {
      if (request.all) continue;
      answer.told.push_back({nobody_sees_completions(*method)});
      continue;
    }
    if (request.late_completions) hunt.completions = simulate::Seeing::kLate;
    hunt.search = *search;
    if (!has_variant(*method, request.options.variant)) {
      without_variant.push_back(method->id);
      continue;
    }
    hunt.options = request.options;
    hunt.options.terms = false;
    hunt.systems = request.systems;
    hunt.runs = request.runs;
    hunt.jobs = request.jobs;
    hunt.duration = *duration;
    hunt.most_catches = request.most_catches;
    hunt.seed = request.seed;
    answer.validation.hunted.push_back({method, simulate::hunt(hunt)});
  }
  answer.interrupted = request.options.stop.stop_requested();
  if (!without_variant.empty()) {
    answer.told.push_back(
        {fmt::format("there is no variant {} of {}", quote(request.options.variant),
                     fmt::join(without_variant, ", "))});
  }
  if (answer.validation.hunted.empty()) return NoAnswer{kUnknown, std::move(answer.told)};
  for (const report::Hunted& hunted : answer.validation.hunted) {
    if (hunted.bag.broken_rule.empty()) continue;
    answer.told.push_back(
        {fmt::format("a simulated policy broke a rule of the engine: {}", hunted.bag.broken_rule)});
    break;
  }
  if (answer.interrupted) {
    answer.told.push_back({"stopped before the end; what is shown was done until then"});
  }
  return answer;
}

}  // namespace tactus::verbs
