#include <unistd.h>

#include <memory>

#include "tactus/base/file.hpp"
#include "tactus/cli/budget.hpp"
#include "tactus/cli/given_systems.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/validation.hpp"
#include "tactus/verbs/validate.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  MethodOptions choice;
  std::uint64_t count = 1000, runs = 10, seed = 1;
  std::uint32_t jobs = 20;
  std::string duration;
  std::string folder;
  std::string recipe, search = "random";
  std::vector<std::string> files, settings;
  std::size_t limit = 100;
  bool late_completions = false, json = false;
};

/// Writes the systems that show a violation, made small.
bool save_catches(const report::Validation& validation) {
  for (const report::Hunted& hunted : validation.hunted) {
    for (std::size_t k = 0; k < hunted.bag.catches.size(); ++k) {
      const simulate::Catch& caught = hunted.bag.catches[k];
      auto problem = write_text_file(catch_file(validation, hunted, k), write_system(caught.system),
                                     Durable::kWithTheRest);
      if (!problem) {
        problem = write_text_file(script_file(validation, hunted, k), caught.script,
                                  Durable::kWithTheRest);
      }
      if (!problem) continue;
      complain("tactus: " + problem->message);
      return false;
    }
  }
  if (const auto problem = sync_folder(validation.folder)) {
    complain("tactus: " + problem->message);
    return false;
  }
  return true;
}

/// The systems of the files; false after all complaints.
bool read_files(const Arguments& arguments, verbs::ValidateRequest& request) {
  bool good = true;
  for (const std::string& path : arguments.files) {
    auto text = read_text_file(path);
    if (!text) {
      complain("tactus: " + text.error().message);
      good = false;
      continue;
    }
    good = for_each_system({path, std::move(*text)},
                           [&](std::string place, System system) {
                             request.places.push_back(std::move(place));
                             request.given.push_back(std::move(system));
                             return true;
                           }) &&
           good;
  }
  return good;
}

int run(const Arguments& arguments) {
  const auto methods = arguments.choice.methods();
  if (!methods) return kBadInput;
  verbs::ValidateRequest request{*methods, arguments.choice.all(), arguments.choice.options()};
  request.systems = arguments.count;
  request.runs = arguments.runs;
  request.seed = arguments.seed;
  request.jobs = arguments.jobs;
  request.duration = arguments.duration;
  request.folder = arguments.folder;
  request.recipe = arguments.recipe;
  request.search = arguments.search;
  request.late_completions = arguments.late_completions;
  request.most_catches = arguments.limit;
  const auto settings = settings_of(arguments.settings);
  if (!settings) return kBadInput;
  request.settings = *settings;
  if (!read_files(arguments, request)) return kBadInput;
  if (!arguments.folder.empty() && !make_folder(arguments.folder)) return kBadInput;
  const auto answer = [&] {
    LongWork work;
    request.options.stop = work.stop_token();
    request.options.progress = work.progress();
    return verbs::validate(request);
  }();
  if (!answer) return complain_of(answer.none());
  const report::Validation& validation = answer->validation;
  if (!arguments.folder.empty() && !save_catches(validation)) return kBadInput;
  const std::string text =
      arguments.json ? report::validation_json(validation)
                     : report::validation_text(validation, report::Style::of(STDOUT_FILENO));
  if (!emit(text)) return kBadInput;
  for (const verbs::Problem& problem : answer->told) complain_of(problem);
  return answer->exit();
}

}  // namespace

void add_validate(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("validate", "Search by simulation for runs that exceed a bound");
  auto arguments = std::make_shared<Arguments>();
  auto* files = verb->add_option("FILE", arguments->files,
                                 "Systems, also as JSON lines; - is standard input; default: small "
                                 "random ones, made for each method");
  arguments->choice.add_to(*verb, "all");
  verb->add_option("--count", arguments->count, "Random systems per method")
      ->capture_default_str()
      ->check(whole_number(1))
      ->excludes(files);
  verb->add_option("--runs", arguments->runs, "Scenarios per system")
      ->capture_default_str()
      ->check(whole_number(1));
  verb->add_option("--recipe", arguments->recipe,
                   "Systems of this recipe instead of those of the method")
      ->type_name("NAME")
      ->excludes(files);
  verb->add_option("--set", arguments->settings, "Set a parameter of the recipe; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->excludes(files);
  verb->add_option("--search", arguments->search,
                   "How runs are chosen: random; climb (towards longer responses, --runs steps per "
                   "task); offsets (all, at most --runs)")
      ->type_name("random|climb|offsets")
      ->capture_default_str();
  verb->add_flag(
      "--late-completions", arguments->late_completions,
      "The arbiter of gcaps.boost sees that GPU work is done late, by as much as its costs "
      "allow");
  auto* jobs = verb->add_option("--jobs", arguments->jobs,
                                "Per run: until the slowest task has had this many jobs")
                   ->capture_default_str()
                   ->check(whole_number(1));
  verb->add_option("--duration", arguments->duration, "Or this long, in the unit of the systems")
      ->check(decimal_number())
      ->excludes(jobs);
  verb->add_option("--seed", arguments->seed, "Of everything random")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("--limit", arguments->limit, "How many violations are listed, per method")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("-o,--output", arguments->folder,
                   "Write the systems with violations, made small, and the scripts of the runs "
                   "into this folder")
      ->type_name("DIR");
  add_stop_after(*verb);
  verb->add_flag("--json", arguments->json, "As JSON");
  verb->footer(
      "Exit code 0: no run exceeded its bound; 1: one did; 3: nothing to validate, or stopped\n"
      "before the end (Ctrl-C too).\n"
      "Examples:\n"
      "  tactus validate --method 'gcaps.*' --count 10000 -j 2\n"
      "  tactus validate --method gcaps.suspend --variant paper -o caught\n"
      "  tactus validate own/*.system.json sets.jsonl --method gcaps.suspend --search climb\n"
      "  tactus validate --method 'gcaps.boost.*' --recipe boost-carry-in --search climb");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
