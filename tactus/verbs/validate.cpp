#include "tactus/verbs/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/simulate/registry.hpp"
#include "tactus/verbs/generate.hpp"
#include "tactus/verbs/simulate.hpp"

namespace tactus::verbs {
namespace {

bool has_variant(const Method& method, std::string_view variant) {
  return std::find(method.variants.begin(), method.variants.end(), variant) !=
         method.variants.end();
}

/// How long a run is, if the question says so. What is generated counts in milliseconds, or in units
/// of the same length.
Answer<std::optional<Time>> duration_of(const std::string& duration,
                                        const std::vector<System>& given) {
  if (duration.empty()) return std::optional<Time>();
  const System& first = given.empty() ? System{} : given.front();
  for (const System& system : given) {
    if (system.time_unit == first.time_unit) continue;
    return NoAnswer::bad_input("--duration needs systems that count in the same unit");
  }
  const auto time = time_of("duration", duration, first);
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

void describe(ValidateQuestion& question, Fields& is) {
  is("systems", question.files,
     "Systems, also as JSON lines; - is standard input; default: small random ones, made for each "
     "method")
      .positional("FILE");
  describe(question.choice, is, true);
  is("count", question.count, "Random systems per method").range(1).excludes({"systems"});
  is("runs", question.runs, "Scenarios per system").range(1);
  is("recipe", question.recipe, "Systems of this recipe instead of those of the method")
      .shows("NAME")
      .excludes({"systems"});
  is("set", question.set, "Set a parameter of the recipe; may be repeated")
      .shows("NAME=VALUE")
      .excludes({"systems"})
      .formerly("parameters");
  is("search", question.search,
     "How runs are chosen: random; climb (towards longer responses, --runs steps per task); "
     "offsets "
     "(all, at most --runs)")
      .one_of({"random", "climb", "offsets"});
  is("late_completions", question.late_completions,
     "The arbiter of gcaps.boost sees that GPU work is done late, by as much as its costs allow");
  is("jobs", question.jobs, "Per run: until the slowest task has had this many jobs").range(1);
  is("duration", question.duration, "Or this long, in the unit of the systems")
      .decimal()
      .formerly("horizon")
      .excludes({"jobs"});
  is("seed", question.seed, "Of everything random");
  is("limit", question.limit, "How many violations are listed, per method");
}

Answer<Validated> answer(const ValidateQuestion& request, const Companion& companion) {
  const auto methods = request.choice.methods();
  if (!methods) return methods.none();
  std::vector<System> given;
  std::vector<std::string> places;
  NoAnswer bad;
  for (const Document& document : request.files) {
    const auto good =
        for_each_system(document, companion, [&](std::string place, System system) -> Answer<bool> {
          places.push_back(std::move(place));
          given.push_back(std::move(system));
          return true;
        });
    if (good) continue;
    const auto& problems = good.none().problems;
    bad.problems.insert(bad.problems.end(), problems.begin(), problems.end());
  }
  if (!bad.problems.empty()) return bad;
  const auto duration = duration_of(request.duration, given);
  if (!duration) return duration.none();
  const auto search = simulate::search_named(request.search);
  const Recipe* recipe = nullptr;
  NamedValues settings;
  if (!request.recipe.empty()) {
    auto generator = generator_of(request.recipe, request.set);
    if (!generator) return generator.none();
    recipe = generator->recipe;
    settings = std::move(generator->given);
  } else if (!request.set.all.empty()) {
    return NoAnswer::bad_input("--set changes what a recipe draws; --recipe must name it");
  }
  const Options options = request.choice.with(companion);
  const bool all = request.choice.all();
  std::vector<Error> told;
  Validated answer{{{},
                    options,
                    request.jobs,
                    request.duration,
                    request.folder,
                    request.late_completions,
                    places},
                   false};
  std::vector<std::string_view> without_variant;
  for (const Method* method : *methods) {
    simulate::Hunt hunt;
    hunt.method = method;
    const auto policy = simulate::find_policy(*method);
    if (!policy) {
      if (!all) told.push_back({policy.error().message});
      continue;
    }
    hunt.recipe = recipe;
    hunt.settings = settings;
    hunt.given = given;
    if (recipe == nullptr && given.empty()) {
      const auto ground = simulate::hunting_ground(*method);
      if (!ground) {
        if (!all) told.push_back({ground.error().message});
        continue;
      }
      hunt.recipe = *ground;
    }
    if (*search != simulate::Search::kRandom && method->behaviour.fixes_releases) {
      if (all) continue;
      told.push_back(
          {fmt::format("{} knows when jobs arrive: there is no other offset to try", method->id)});
      continue;
    }
    if (request.late_completions && !policy->entry->sees_completions) {
      if (all) continue;
      told.push_back({nobody_sees_completions(*method)});
      continue;
    }
    if (request.late_completions) hunt.completions = simulate::Seeing::kLate;
    hunt.search = *search;
    if (!has_variant(*method, options.variant)) {
      without_variant.push_back(method->id);
      continue;
    }
    hunt.options = options;
    hunt.options.terms = false;
    hunt.systems = request.count;
    hunt.runs = request.runs;
    hunt.jobs = request.jobs;
    hunt.duration = *duration;
    hunt.most_catches = request.limit;
    hunt.seed = request.seed;
    answer.validation.hunted.push_back({method, simulate::hunt(hunt)});
  }
  answer.interrupted = options.stop.stop_requested();
  if (!without_variant.empty()) {
    told.push_back({fmt::format("there is no variant {} of {}", quote(options.variant),
                                fmt::join(without_variant, ", "))});
  }
  if (answer.validation.hunted.empty()) return NoAnswer{kUnknown, std::move(told)};
  for (const report::Hunted& hunted : answer.validation.hunted) {
    if (hunted.bag.broken_rule.empty()) continue;
    told.push_back(
        {fmt::format("a simulated policy broke a rule of the engine: {}", hunted.bag.broken_rule)});
    break;
  }
  if (answer.interrupted) {
    told.push_back({"stopped before the end; what is shown was done until then"});
  }
  for (const Error& problem : told) companion.warn(problem);
  return answer;
}

}  // namespace tactus::verbs
