#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "tactus/cli/budget.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/subject.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/diagnostic.hpp"
#include "tactus/model/file.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/validation.hpp"
#include "tactus/simulate/registry.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  MethodOptions choice;
  std::uint64_t count = 1000, runs = 10, seed = 1;
  std::uint32_t jobs = 20;
  std::string duration;
  std::string folder;
  bool json = false;
};

/// Writes the systems that show a violation, made small.
bool save_catches(const report::Validation& validation) {
  for (const report::Hunted& hunted : validation.hunted) {
    for (std::size_t k = 0; k < hunted.bag.catches.size(); ++k) {
      const std::string text = write_system(hunted.bag.catches[k].system);
      if (const auto problem = write_text_file(catch_file(validation, hunted, k), text)) {
        complain("tactus: " + problem->message);
        return false;
      }
    }
  }
  return true;
}

bool has_variant(const Method& method, std::string_view variant) {
  return std::find(method.variants.begin(), method.variants.end(), variant) !=
         method.variants.end();
}

int run(const Arguments& arguments) {
  const auto methods = arguments.choice.methods();
  if (!methods) return kBadInput;
  std::optional<Time> duration;
  if (!arguments.duration.empty()) {
    // What is generated counts in milliseconds, or in units of the same length.
    duration = time_argument("duration", arguments.duration, System{});
    if (!duration) return kBadInput;
  }
  if (!arguments.folder.empty() && !make_folder(arguments.folder)) return kBadInput;
  report::Validation validation{
      {}, arguments.choice.options(), arguments.jobs, arguments.duration, arguments.folder};
  std::vector<std::string_view> without_variant;
  bool interrupted = false;
  {
    LongWork work;
    for (const Method* method : *methods) {
      simulate::Hunt hunt;
      hunt.method = method;
      const auto policy = simulate::find_policy(*method);
      const auto ground = simulate::hunting_ground(*method);
      if (!policy || !ground) {
        if (arguments.choice.all()) continue;
        complain("tactus: " + (policy ? ground.error().message : policy.error().message));
        continue;
      }
      hunt.recipe = *ground;
      if (!has_variant(*method, arguments.choice.options().variant)) {
        without_variant.push_back(method->id);
        continue;
      }
      hunt.options = arguments.choice.options();
      hunt.options.terms = false;
      hunt.options.stop = work.stop_token();
      hunt.options.progress = work.progress();
      hunt.systems = arguments.count;
      hunt.runs = arguments.runs;
      hunt.jobs = arguments.jobs;
      hunt.duration = duration;
      hunt.seed = arguments.seed;
      validation.hunted.push_back({method, simulate::hunt(hunt)});
    }
    interrupted = work.stop_token().stop_requested();
  }
  if (!without_variant.empty()) {
    complain(fmt::format("tactus: there is no variant {} of {}",
                         quote(arguments.choice.options().variant),
                         fmt::join(without_variant, ", ")));
  }
  if (validation.hunted.empty()) return kUnknown;
  if (!arguments.folder.empty() && !save_catches(validation)) return kBadInput;
  const std::string text =
      arguments.json ? report::validation_json(validation)
                     : report::validation_text(validation, report::Style::of(STDOUT_FILENO));
  if (!emit(text)) return kBadInput;
  std::uint64_t violations = 0, promised = 0;
  for (const report::Hunted& hunted : validation.hunted) {
    if (!hunted.bag.broken_rule.empty()) {
      complain("tactus: a simulated policy broke a rule of the engine: " + hunted.bag.broken_rule);
      return kUnknown;
    }
    violations += hunted.bag.violations;
    promised += hunted.bag.promised;
  }
  if (interrupted)
    complain("tactus: stopped before the end; the table shows what was done until then");
  if (violations > 0) return kNo;
  // Nothing promised, nothing validated.
  return promised > 0 && !interrupted ? kYes : kUnknown;
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("validate", "Search by simulation for runs that exceed a bound");
  auto arguments = std::make_shared<Arguments>();
  arguments->choice.add_to(*verb, "all");
  verb->add_option("--count", arguments->count, "Random systems per method")
      ->capture_default_str()
      ->check(whole_number(1));
  verb->add_option("--runs", arguments->runs, "Scenarios per system")
      ->capture_default_str()
      ->check(whole_number(1));
  auto* jobs = verb->add_option("--jobs", arguments->jobs,
                                "Per run: until the slowest task has had this many jobs")
                   ->capture_default_str()
                   ->check(whole_number(1));
  verb->add_option("--duration,--horizon", arguments->duration,
                   "Or this long, in the unit of the systems")
      ->check(decimal_number())
      ->excludes(jobs);
  verb->add_option("--seed", arguments->seed, "Of everything random")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("-o,--output", arguments->folder,
                   "Write the systems with violations, made small, into this folder")
      ->type_name("DIR");
  add_stop_after(*verb);
  verb->add_flag("--json", arguments->json, "As JSON");
  verb->footer(
      "Exit code 0: no run exceeded its bound; 1: one did; 3: nothing to validate, or stopped\n"
      "before the end (Ctrl-C too).\n"
      "Examples:\n"
      "  tactus validate --method 'gcaps.*' --count 10000 -j 2\n"
      "  tactus validate --method gcaps.suspend --variant paper -o caught");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
